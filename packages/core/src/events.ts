import type { Release } from './port.ts';

/**
 * Fields of every event about a contender. `contender` is the id that core gave the caller; the owner value has it too.
 */
interface ContenderEvent {
  /** The key that is locked. */
  readonly key: string;
  /** The name of the backend. */
  readonly backend: string;
  /** The contender id, unique for each call. */
  readonly contender: string;
}

/** The reason why a lease ended without being released. */
export type LossReason =
  /** Its validity ran out before it could be renewed. */
  | 'deadline'
  /** A renewal found that the store no longer has it. */
  | 'renewal'
  /** The backend reported the loss, for example of an expired session. */
  | 'pushed'
  /** `maxHoldMs` was reached. */
  | 'max-hold'
  /** `Locks.close` was called, and the lease expired before it was released. */
  | 'closed'
  /** The handle was dropped without release and has been collected. */
  | 'leaked';

/** Events of locks, emitted to listeners of `locks.on` and to the host. Durations are in milliseconds. */
export type LockEvent =
  | (ContenderEvent & {
      readonly type: 'contended';
      readonly waitedMs: number;
      readonly holderRemainingMs?: number | undefined;
    })
  | (ContenderEvent & {
      readonly type: 'acquired';
      readonly waitedMs: number;
      readonly attempts: number;
      readonly leaseMs: number;
      readonly fencingToken?: bigint | undefined;
    })
  | (ContenderEvent & {
      readonly type: 'renewed';
      readonly tookMs: number;
      readonly remainingMs: number;
    })
  | (ContenderEvent & {
      readonly type: 'lost';
      readonly reason: LossReason;
      readonly heldMs: number;
    })
  | (ContenderEvent & {
      readonly type: 'released';
      readonly outcome: Release['kind'];
      readonly heldMs: number;
      readonly tookMs: number;
    })
  /** The holder exported its lease, and holds it no longer. The key stays taken, for the adopter. */
  | (ContenderEvent & { readonly type: 'exported'; readonly heldMs: number })
  /**
   * A lease was dropped without release and has been collected. It is not renewed any more, and its key stays taken
   * until the lease expires. `lost` follows, with the reason `leaked`.
   */
  | (ContenderEvent & { readonly type: 'leaked'; readonly heldMs: number })
  /**
   * A request won the key after its caller aborted or the locks closed, or too late to be useful; the key is released.
   */
  | (ContenderEvent & {
      readonly type: 'orphan';
      readonly reason: 'aborted' | 'late' | 'closed';
      readonly outcome: Release['kind'];
    })
  | {
      readonly type: 'forced';
      readonly key: string;
      readonly backend: string;
      readonly outcome: Release['kind'];
    }
  | {
      readonly type: 'warning';
      readonly backend: string;
      readonly code: string;
      readonly message: string;
      readonly key?: string | undefined;
      readonly cause?: unknown;
    }
  /** The reply of one node, so that operators see which node is slow or down. */
  | {
      readonly type: 'node';
      readonly backend: string;
      readonly node: string;
      readonly outcome: string;
      readonly key?: string | undefined;
      readonly tookMs?: number | undefined;
      readonly cause?: unknown;
    };

/** The names that `locks.on` accepts. */
export type LockEventType = LockEvent['type'];

/** The event of one type. */
export type LockEventOf<T extends LockEventType> = Extract<LockEvent, { readonly type: T }>;

/**
 * Receives events of one type; it may be async. A listener that throws or rejects does not affect any lock. It causes a
 * `warning` with the code `LISTENER_THREW`, unless it is a listener of warnings itself.
 */
export type LockListener<T extends LockEventType> = (event: LockEventOf<T>) => unknown;
