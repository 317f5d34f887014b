import type { HistoryEvent } from '@holdfast/core/backend';
import type { HoldStatus } from '../hold-log.ts';
import type { SimProcess } from '../process.ts';
import type { Cluster } from './cluster.ts';

/** The servers' state of one granted hold, now and at every earlier time. Computed when it is read. */
export interface HoldState {
  /** Number of addresses that have stored a value of its contender. */
  readonly votes: number;
  /**
   * The transaction that put it into the queue, in the session in which it was granted; absent if there is no queue.
   */
  readonly place?: number | undefined;
  /** True if time, and not a client's request, ended a hold of which {@link freeAtMs} knew no end. */
  readonly hasExpired: boolean;
  /** Per address, the records of the servers behind it, one after the other. */
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
  /**
   * Returns the true time from which another client can be granted the key, if no event changes that. It is in the
   * past if one could already, and Infinity if only an event can end the hold.
   * @param clients the live ones: a value that contains its own expiry is read by each client's own clock
   */
  freeAtMs(clients: readonly SimProcess[]): number;
}

/** A span in which one server saw one client as the holder of the key. */
export interface ServerHold {
  readonly server: string;
  readonly client: string;
  /** True time. */
  readonly fromMs: number;
  /** Infinity while it lasts. */
  readonly untilMs: number;
  readonly end?: 'released' | 'expired' | 'taken' | 'removed' | 'data lost' | undefined;
  /** The client whose request ended it. */
  readonly by?: string | undefined;
}

/** Identifies the lock's key among the stored keys. */
export interface LockKey {
  /** The key as clients call it. */
  readonly key: string;
  /** The fencing tokens that were granted: a stored key that has one is the counter. */
  readonly tokens: ReadonlySet<string>;
}

/** Returns the holder that every server saw, for the key that a history is about. */
export function serverHoldsOf(
  cluster: Cluster,
  history: readonly HistoryEvent[],
): readonly ServerHold[] {
  const tokens = history.flatMap((event) => (event.type === 'granted' ? (event.token ?? []) : []));
  return cluster.serverHolds({ key: history[0]?.key ?? '', tokens: new Set(tokens) });
}

/**
 * Returns true if a stored owner value is this contender's: redlock appends the node's position in its list to the
 * contender id.
 */
export function isOf(value: unknown, contender: string): boolean {
  if (typeof value !== 'string' || !value.startsWith(contender)) return false;
  return /^(?:\.\d+)?:/.test(value.slice(contender.length));
}

/** Returns the contender of a stored owner value: on several nodes, the values of one hold differ in the rest. */
export function contenderOf(owner: string): string {
  return /^([^:]+?)(?:\.\d+)?:/.exec(owner)?.[1] ?? owner;
}

/** Returns the attempt that wrote a stored owner value, counted from 1; 0 if the value does not contain it. */
export function attemptOf(owner: string): number {
  return Number(/^[^:]+:(\d+)/.exec(owner)?.[1] ?? 0);
}
