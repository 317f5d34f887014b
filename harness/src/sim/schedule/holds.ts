import type { HistoryEvent } from '@holdfast/core';
import type { HoldStatus } from '../hold-log.ts';
import type { SimProcess } from '../process.ts';
import type { Cluster } from './cluster.ts';

/** What the servers say of one hold that was granted, now and at every time before. Looked up as it is read. */
export interface HoldState {
  /** How many addresses have stored anything that its contender wrote. */
  readonly votes: number;
  /** The transaction that put it into the queue, in the session in which it was granted; absent where there is no queue. */
  readonly place?: number | undefined;
  /** True if time, and no client's request, ended a hold of which {@link freeAtMs} knew no end. */
  readonly hasExpired: boolean;
  /** Of each address, what the records of the servers behind it said of the hold, one after the other. */
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
  /**
   * From when on, by true time, another client can be granted the key, as things are: the past where one could already,
   * Infinity where only an event can end the hold.
   * @param clients those that live: where a value says itself by when it is over, each reads it by its own clock
   */
  freeAtMs(clients: readonly SimProcess[]): number;
}

/** One server took one client for the holder of the key, from when to when. */
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

/** Which of the stored keys is the lock's. */
export interface LockKey {
  /** As clients call it. */
  readonly key: string;
  /** The fencing tokens that were granted: a stored key that has one is the counter. */
  readonly tokens: ReadonlySet<string>;
}

/** Whom every server took for the holder of the key that a history is about. */
export function serverHoldsOf(
  cluster: Cluster,
  history: readonly HistoryEvent[],
): readonly ServerHold[] {
  const tokens = history.flatMap((event) => (event.type === 'granted' ? (event.token ?? []) : []));
  return cluster.serverHolds({ key: history[0]?.key ?? '', tokens: new Set(tokens) });
}

/** Whether a stored owner value is this contender's: redlock puts the node's place in its list behind the contender id. */
export function isOf(value: unknown, contender: string): boolean {
  if (typeof value !== 'string' || !value.startsWith(contender)) return false;
  return /^(?:\.\d+)?:/.test(value.slice(contender.length));
}

/** Whose a stored owner value is: on several nodes, those of one hold differ in the rest. */
export function contenderOf(owner: string): string {
  return /^([^:]+?)(?:\.\d+)?:/.exec(owner)?.[1] ?? owner;
}

/** Which attempt of its contender a stored owner value was written by, counted from 1; 0 where it does not say. */
export function attemptOf(owner: string): number {
  return Number(/^[^:]+:(\d+)/.exec(owner)?.[1] ?? 0);
}
