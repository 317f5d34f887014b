import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '../../../../../harness/test/kit/real-servers.ts';
import type { Injection } from './injection.ts';

/** Real servers as one place for locks, and what can be done to them. */
export interface Topology {
  readonly name: string;
  /** The number of replicas of each master: all of them acknowledge in one arm. */
  readonly replicas: number;
  /** Those with data. */
  readonly servers: readonly RedisServer[];
  readonly injections: readonly Injection[];
  /** The URL for clients that reach the servers at these ports, in their order. */
  urlAt(ports: readonly number[]): string;
  /** True if the server at this place says that it is a master. Rejects if it is down. */
  isMaster(at: number): Promise<boolean>;
  /** Resolves once all servers run, and replicas are in sync with masters on which all agree. */
  recover(): Promise<void>;
  keys(): Promise<Keys>;
  close(): Promise<void>;
}

/** Counts of keys on all masters. While there are two masters of a key it counts twice. */
export interface Keys {
  readonly all: number;
  readonly locks: number;
}

/** Counts all keys, and those of locks. `DBSIZE` has keys that have expired, too, which `KEYS` leaves out. */
export const COUNT = `return {#redis.call('KEYS', '*'), #redis.call('KEYS', '*:lock')}`;

const LAG_MS = 700;
const RESUMED_MS = 20;

/**
 * Runs `failOver` after a time in which replicas received nothing. They are paused, so that they cannot connect anew when
 * `disconnect` makes the master close their connections. What it writes from then on they never have, unless they reach it
 * before they are promoted.
 */
export async function behindLag<T>(
  replicas: readonly RedisServer[],
  disconnect: () => Promise<unknown>,
  failOver: () => Promise<T>,
): Promise<T> {
  for (const each of replicas) each.stop();
  await disconnect();
  await sleep(LAG_MS);
  const failingOver = failOver();
  await sleep(RESUMED_MS);
  for (const each of replicas) each.resume();
  return await failingOver;
}

/** Polls until it is so. @throws Error after a minute */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`not within a minute: ${what}`);
    await sleep(20);
  }
}

export function oneOf<T>(all: readonly T[], draw: () => number): T {
  const one = all[Math.floor(draw() * all.length)];
  if (one === undefined) throw new RangeError('there is none');
  return one;
}
