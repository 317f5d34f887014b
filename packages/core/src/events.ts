import type { Release } from './port.ts';

/** What every event carries. `contender` is the id that core gave the caller; it stands in the owner value too. */
interface ContenderEvent {
  readonly key: string;
  readonly backend: string;
  readonly contender: string;
}

/** Why a lease ended without being released. */
export type LossReason =
  /** Its validity ran out before it could be renewed. */
  | 'deadline'
  /** A renewal learnt that the store no longer holds it. */
  | 'renewal'
  /** The backend pushed the loss, for example an expired session. */
  | 'pushed'
  /** `maxHoldMs` was reached. */
  | 'max-hold'
  /** `Locks.close` was called, and its time was over before it was released. */
  | 'closed'
  /** It was dropped without release and has been collected. */
  | 'leaked';

/** What happens to locks, told through `locks.on` or the host's sink. Durations are milliseconds. */
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
  /**
   * A lease was dropped without release and has been collected: it is not renewed any more, and its key stays taken until
   * its time is over. `lost` follows, with the reason `leaked`.
   */
  | (ContenderEvent & { readonly type: 'leaked'; readonly heldMs: number })
  /** A request won after nobody wanted it any more, or too late to be of use; it is given back. */
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
  /** What one node answered, so that an operator sees which is slow or down. */
  | {
      readonly type: 'node';
      readonly backend: string;
      readonly node: string;
      readonly outcome: string;
      readonly key?: string | undefined;
      readonly tookMs?: number | undefined;
      readonly cause?: unknown;
    };

/** The names `locks.on` takes. */
export type LockEventType = LockEvent['type'];

/** The event of one type. */
export type LockEventOf<T extends LockEventType> = Extract<LockEvent, { readonly type: T }>;

/**
 * Hears events of one type; it may be async. One that throws or is rejected disturbs no lock: that is told by a
 * `warning` with the code `LISTENER_THREW`, unless it listens to warnings itself.
 */
export type LockListener<T extends LockEventType> = (event: LockEventOf<T>) => unknown;
