import type { KeyOrKeys } from './key.ts';
import type { LeaseController } from './lease-controller.ts';
import type { MultiLeaseController } from './multi-lease.ts';

/** A method that locks. */
export type LockingMethod = 'acquire' | 'tryAcquire' | 'use' | 'tryUse' | 'adopt' | 'elect';

/** A key that a call has acquired. Its further events have the same `key` and `contender`. */
export interface ObservedHold {
  /** The key. */
  readonly key: string;
  /** The contender id. */
  readonly contender: string;
  /** The fencing token, if there is one. */
  readonly fencingToken: bigint | undefined;
}

/**
 * Observes one call that locks, for tracing. It is created in the context of the caller, whereas events come from wherever
 * a reply or a timer was noticed. Its methods must not throw.
 */
export interface CallObserver {
  /** The call has acquired these keys. */
  acquired?(this: void, holds: readonly ObservedHold[]): void;
  /** The call has failed, or was aborted; a LockTimeoutError also where the caller gets `null` or `{ ran: false }`. */
  failed?(this: void, error: unknown): void;
  /** Runs the body of `use`, `tryUse` or `elect`, and returns what it returns. */
  run?<T>(this: void, body: () => T): T;
}

/** A call that locks, for those who may want to observe it. Published in the context of the caller. */
export interface LockCall {
  /** The method that was called. */
  readonly method: LockingMethod;
  /** The name of the backend. */
  readonly backend: string;
  /** The key, or the keys. */
  readonly keys: readonly string[];
  /** Adds an observer of this call. Its errors reach nobody. */
  observe(this: void, observer: CallObserver): void;
}

/** Returns the observer of a call that begins; undefined, and nothing is paid, while nobody observes. */
export type ObserveCall = (
  method: LockingMethod,
  backend: string,
  key: KeyOrKeys,
) => CallObserver | undefined;

/** The body, run by the observer if it wants to. */
export function observedBody<L, R>(
  observer: CallObserver | undefined,
  body: (lease: L) => R,
): (lease: L) => R {
  const run = observer?.run;
  return run === undefined ? body : (lease) => run(() => body(lease));
}

/** What a call has acquired. */
export function holdsOf(
  controller: LeaseController | MultiLeaseController,
): readonly ObservedHold[] {
  return 'parts' in controller ? controller.parts.map(holdOf) : [holdOf(controller)];
}

function holdOf({ key, contender, grant }: LeaseController): ObservedHold {
  return { key, contender, fencingToken: grant.fencingToken };
}
