/** What authors of backends use, and what opens one in code. Users of locks need only the main entry. */

export type { Capabilities } from './api/capabilities.ts';
export type { CloseOptions } from './api/options.ts';
export type * from './api/reports.ts';
export type {
  CallObserver,
  LockCall,
  LockingMethod,
  ObserveCall,
  ObservedHold,
} from './call-observer.ts';
export { adoptionError } from './error-messages.ts';
export { MARKERS, otherModeError, placedBusy, placeMs, warnIfPermitsDiffer } from './family.ts';
export { type EpochBackend, withFencingEpoch } from './fencing/epoch-backend.ts';
export { bound, epochToken } from './fencing/epoch-contender.ts';
export {
  admission,
  FENCING_EPOCH_MAX,
  type NotAdmitted,
  SharedCheck,
  StoreRecord,
} from './fencing/store-record.ts';
export type * from './history.ts';
export type { Reentry } from './hold-context.ts';
export { createHost, type HostOptions, type ListenableHost } from './host.ts';
export { checkKey, checkNamespace } from './key.ts';
export { createLocks } from './locks.ts';
export { type MemoryOptions, openMemory } from './memory/backend.ts';
export type { MemoryLink } from './memory/client.ts';
export { MemoryStore } from './memory/store.ts';
export { worstRelease } from './multi-lease.ts';
export { checkTtl, shown } from './options.ts';
export { cleanLabel, type Owner, ownerValue, parseOwner } from './owner.ts';
export type * from './port.ts';
export { didYouMean, nearest, redactText, redactUrl } from './quote.ts';
export { REQUIREMENTS } from './require.ts';
export { type Instant, type Runtime, systemRuntime } from './runtime.ts';
export {
  callDeadlineMs,
  driftMs,
  remainingMs,
  renewAfterMs,
  TTL_MS_DEFAULT,
  TTL_MS_MAX,
  TTL_MS_MIN,
  validityMs,
} from './validity.ts';
