/** What users of locks touch; `holdfast` exports it, too. Authors of backends use `@holdfast/core/backend` besides. */

export type * from './api.ts';
export * from './errors.ts';
export type * from './events.ts';
export { type HostOptions, LOCK_EVENT_TYPES } from './host.ts';
export type {
  Capabilities,
  CloseOptions,
  CloseReport,
  Health,
  Inspection,
  NodeHealth,
  Release,
  StillHeld,
} from './port.ts';
export type { Instant, Runtime } from './runtime.ts';
