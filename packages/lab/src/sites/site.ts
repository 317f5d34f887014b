import type { FaultId } from '@holdfast/core';
import type { Opening } from '../clients/messages.ts';
import type { Plant } from '../plant.ts';
import type { Proxies } from '../proxy/proxies.ts';

/** What a fault does to servers or to the ways to them. Those that strike a client's process are the laboratory's own. */
export interface Strike {
  /** One sentence for people: whom it strikes, and how. */
  readonly told: string;
  /** Whether it is to strike when the lease has just been renewed, so that its holder notices late. */
  readonly afterRenewal?: boolean;
  /** Before anybody holds: what has to be so, lest the fault show nothing. */
  prepare?(): Promise<void>;
  strike(): Promise<void>;
  /** Ends it, after a ttl and more; absent where what happened has happened. */
  heal?(): Promise<void>;
}

/** Servers for one trial, and the ways on which client processes reach them. */
export interface Site {
  /** How the process of this place opens its locks; place 0 is the one that holds when the fault strikes. */
  opening(place: number): Opening;
  readonly strikes: Readonly<Partial<Record<FaultId, Strike>>>;
  /** After the trial, whatever became of it. */
  close(): Promise<void>;
}

export interface SiteParts {
  readonly plant: Plant;
  readonly proxies: Proxies;
  /** How many client processes there are. */
  readonly places: number;
  readonly ttlMs: number;
  readonly namespace: string;
  /** The library that shifts clocks, where one could be compiled. */
  readonly shim: string | undefined;
}

/** How far clocks jump: any lock is over by then. */
export function jumpMs({ ttlMs }: SiteParts): number {
  return 10 * ttlMs;
}

/** Below a tenth of a ttl for a call there and back, which is what a call may take. */
export function delayMs({ ttlMs }: SiteParts): number {
  return Math.floor(ttlMs / 40);
}
