import type { FaultId } from '@holdfast/core';
import type { Crew } from '../clients/crew.ts';
import type { Entry } from '../clients/event-log.ts';
import { hostMs } from '../clock.ts';
import type { Site } from '../sites/site.ts';

/** A fault as it strikes one trial, whoever it strikes. */
export interface Blow {
  readonly told: string;
  /** Whether it lasts until it is healed. */
  readonly lasts: boolean;
  /** Whether it is to strike when the lease has just been renewed, so that its holder notices late. */
  readonly afterRenewal: boolean;
  /** Whether it ends the process of the holder. */
  readonly isDeadly: boolean;
  prepare(): Promise<void>;
  strike(): Promise<void>;
  heal(): Promise<void>;
  /** What it did to clients, for the history of this key. */
  entries(key: string): readonly Entry[];
}

const HARMLESS: Blow = {
  told: 'contention only',
  lasts: true,
  afterRenewal: false,
  isDeadly: false,
  prepare: () => Promise.resolve(),
  strike: () => Promise.resolve(),
  heal: () => Promise.resolve(),
  entries: () => [],
};

/** @throws Error for a fault that this site does not show */
export function blowOf(fault: FaultId, site: Site, crew: Crew): Blow {
  if (fault === 'none') return { ...HARMLESS, lasts: false, strike: contend(crew) };
  if (fault === 'pause') return pause(crew);
  if (fault === 'holder-crash') return crash(crew);
  const strike = site.strikes[fault];
  if (strike === undefined) throw new Error(`${fault} cannot be played here`);
  return {
    ...HARMLESS,
    told: strike.told,
    lasts: strike.heal !== undefined,
    afterRenewal: strike.afterRenewal ?? false,
    prepare: async () => await strike.prepare?.(),
    strike: () => strike.strike(),
    heal: async () => await strike.heal?.(),
  };
}

/** Nothing but that the one inside goes on. */
function contend({ parts: { victim } }: Crew): () => Promise<void> {
  return async () => victim.proceed();
}

function pause({ parts: { victim } }: Crew): Blow {
  let atMs = 0;
  let untilMs = 0;
  return {
    ...HARMLESS,
    told: 'the process of the holder stands still (SIGSTOP) past its ttl',
    strike: async () => {
      atMs = victim.stop();
    },
    heal: async () => {
      untilMs = hostMs();
      victim.resume();
    },
    entries: (key) => [{ type: 'paused', atMs, untilMs, client: victim.name, key }],
  };
}

function crash({ parts: { victim } }: Crew): Blow {
  let atMs = 0;
  return {
    ...HARMLESS,
    told: 'the process of the holder dies (kill -9)',
    lasts: false,
    isDeadly: true,
    strike: async () => {
      atMs = victim.kill();
    },
    entries: (key) => [{ type: 'crashed', atMs, client: victim.name, key }],
  };
}
