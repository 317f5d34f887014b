/** What users of locks touch; `holdfast` exports it, too. Authors of backends use `@holdfast/core/backend` besides. */

export type * from './api/capabilities.ts';
export type * from './api/lease.ts';
export type * from './api/locks.ts';
export type * from './api/options.ts';
export type * from './api/reports.ts';
export * from './errors.ts';
export type * from './events.ts';
export { type HostOptions, LOCK_EVENT_TYPES } from './host.ts';
export type { Release } from './port.ts';
export type { Instant, Runtime } from './runtime.ts';
