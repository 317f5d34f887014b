import type { FaultId } from '@holdfast/core';
import type { Crew } from '../clients/crew.ts';
import type { Entry } from '../clients/event-log.ts';
import type { Site, Strike } from '../sites/site.ts';

/** A fault as it strikes one trial, whoever it strikes. */
export interface Blow {
  readonly told: string;
  /** Whether it lasts until it is healed. */
  readonly lasts: boolean;
  /** Whether what it strikes goes on when it is healed: the dead do not, nor does a clock that jumped. */
  readonly goesOn: boolean;
  /** Whether it is to strike when the lease has just been renewed, so that its holder notices late. */
  readonly afterRenewal: boolean;
  /** Whether it is to strike when the lease is about to end by itself. */
  readonly beforeEnd: boolean;
  /** Whether it ends the process of the holder. */
  readonly isDeadly: boolean;
  /** Whether the holder leaves when it has struck, instead of staying inside for as long as it may. */
  readonly holderLeaves: boolean;
  /** Whether the holder, when it goes on, looks at its lease once more before it writes. */
  readonly looksAgain: boolean;
  /** Whether somebody is to take over from the holder, and how soon that is counts. */
  readonly handsOver: boolean;
  /** Places of clients whose service is not looked at, be it that they hold or that they are struck; others are healthy. */
  readonly struck: readonly number[];
  /** Places of clients that it strikes themselves, or on ways that are theirs alone: what these lose they lose for a reason. */
  readonly faulted: readonly number[];
  /** Whether those who wait ask once and wait for as long as it takes: asking again would make them hear what they are not told. */
  readonly patient: boolean;
  /** Whether those who take over stay inside until the fault is over, and for a while. */
  readonly othersStay: boolean;
  /** Whether the last client opens its locks only when it has struck. */
  readonly newcomer: boolean;
  /** How long to wait for all to be served again; undefined: as long as ever. */
  readonly recoverMs: number | undefined;
  prepare(): Promise<void>;
  strike(): Promise<void>;
  heal(): Promise<void>;
  /** What it did to clients, for the history of this key. */
  entries(key: string): readonly Entry[];
}

export interface Struck {
  readonly site: Site;
  readonly crew: Crew;
  readonly ttlMs: number;
  /** From the strike until it is healed. */
  readonly spanMs: number;
  /** The how many-th strike of its cell. */
  readonly n: number;
}

export const HARMLESS: Blow = {
  told: 'contention only',
  lasts: true,
  goesOn: true,
  afterRenewal: false,
  beforeEnd: false,
  isDeadly: false,
  holderLeaves: false,
  looksAgain: true,
  handsOver: false,
  struck: [0],
  faulted: [],
  patient: false,
  othersStay: false,
  newcomer: false,
  recoverMs: undefined,
  prepare: () => Promise.resolve(),
  strike: () => Promise.resolve(),
  heal: () => Promise.resolve(),
  entries: () => [],
};

/** The ways of one fault take turns. */
export function strikeOf(
  fault: FaultId,
  { site, n }: Pick<Struck, 'site' | 'n'>,
): Strike | undefined {
  const strikes = [site.strikes[fault] ?? []].flat();
  return strikes[(n - 1) % strikes.length];
}
