export { HoldfastHealth } from './health.ts';
export {
  type HoldfastAsyncOptions,
  HoldfastModule,
  type HoldfastOptions,
} from './holdfast-module.ts';
export { currentLease, type KeyOf, Locked, type LockedMethod, TryLocked } from './locked.ts';
export { Locks } from './locks.ts';
