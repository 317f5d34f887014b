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
  /** Whether it is to strike when the lease, which nobody renews, is about to end, and be over as soon as somebody took over. */
  readonly beforeEnd?: boolean;
  /** Whether the holder leaves by itself then: what matters is who hears of it. */
  readonly holderLeaves?: boolean;
  /** Whether the holder goes on holding: nobody is to take over. */
  readonly holderKeeps?: boolean;
  /** Whom it strikes besides: who is there is no healthy client. */
  readonly alsoStrikes?: readonly number[];
  /** Whom alone it strikes, by its ways; absent: servers, or the ways of all, where it cuts nobody off. */
  readonly faulted?: readonly number[];
  /** Whether it keeps from somebody who waits that the lock is free. */
  readonly isUntold?: boolean;
  /** Whether the last client opens its locks only when it has struck: one who has seen nothing yet. */
  readonly newcomer?: boolean;
  /** How long to wait for all to be served again, where that would take too long to be waited for. */
  readonly recoverMs?: number;
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
  /** Where there are several ways of one fault, they take turns. */
  readonly strikes: Readonly<Partial<Record<FaultId, Strike | readonly Strike[]>>>;
  /** Whether those who take over stay inside, too: what the old holder sends late has to find somebody whom it harms. */
  readonly othersStay?: boolean;
  /** How much longer than a ttl its servers may take to let go of what nobody prolongs, where that is long. */
  readonly slackMs?: number;
  /** What the ways of the holder have held back arrives. */
  deliver?(): Promise<void>;
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
