import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultId } from '@holdfast/core';
import type { Client } from '../clients/client.ts';
import type { Crew } from '../clients/crew.ts';
import { type Entry, historyOf } from '../clients/event-log.ts';
import type { Sample } from '../clients/messages.ts';
import { hostMs } from '../clock.ts';
import type { Site } from '../sites/site.ts';
import { type Blow, blowOf } from './blows.ts';
import type { TrialRecord } from './record.ts';

export interface Trial {
  readonly fault: FaultId;
  readonly key: string;
  readonly ttlMs: number;
  /** Hears what is done to whom, when it is. */
  readonly striking: (told: string) => void;
}

/** Before and after the fault, to have something to compare with. */
const CALM_MS = 300;
/** How much longer than a ttl a fault lasts, so that what it lets expire has expired. */
const BEYOND_TTL_MS = 300;
/** How long the holder stays inside beside whoever got in, so that both are seen to work. */
const BESIDE_MS = 60;
/** Within which everything has to begin. */
const BEGIN_MS = 20_000;
/** How long healthy clients may take to be served again. */
const RECOVER_MS = 15_000;
/** A lease is renewed at a third of its ttl; one that never is must not be over by then. */
const RENEWED_SHARE = 0.4;
const THINK_MS = 5;
const PROBE_EVERY_MS = 10;

/**
 * One strike: a client gets in and lingers, the others wait, the fault strikes, whoever gets in gets in, the fault is
 * over, all are served again. What it meant is for the judges to say.
 */
export async function playTrial(crew: Crew, site: Site, trial: Trial): Promise<TrialRecord> {
  const { victim, others } = crew.parts;
  const blow = blowOf(trial.fault, site, crew);
  await openAll(crew, site);
  await blow.prepare();
  await beginAll(crew, trial);
  const fromMs = hostMs();
  await sleep(CALM_MS);

  const taken = Promise.race(others.map((other) => other.says('granted')));
  if (blow.afterRenewal)
    await Promise.race([victim.says('renewed'), sleep(RENEWED_SHARE * trial.ttlMs)]);
  trial.striking(blow.told);
  const strikeMs = hostMs();
  await blow.strike();
  for (const other of others) other.proceed();
  await Promise.race([taken, sleep(spanMs(trial))]);
  await sleep(BESIDE_MS);
  await outlast(blow, trial, strikeMs);
  victim.proceed();
  await blow.heal();
  const healedMs = hostMs();
  const isControl = site.opening(0).backend === 'no-lock';
  if (!isControl) await served(others);
  await sleep(CALM_MS);

  const untilMs = hostMs();
  const samples = await finishAll(crew, blow);
  const entries = [...(await crew.news(trial.key)), ...blow.entries(trial.key)];
  const since = (atMs: number): number => atMs - strikeMs;
  return {
    fault: trial.fault,
    fromMs: since(fromMs),
    healedMs: since(healedMs),
    untilMs: since(untilMs),
    history: historyOf(livingOnly(entries), strikeMs),
    healthy: others.map(({ name }, index) => ({
      client: name,
      samples: (samples[index] ?? []).map((each) => ({ ...each, atMs: since(each.atMs) })),
    })),
    victim: victim.name,
    told: blow.told,
  };
}

function spanMs({ ttlMs }: Trial): number {
  return ttlMs + BEYOND_TTL_MS;
}

/** A fault that can be healed lasts for its whole span, whoever got in meanwhile. */
async function outlast({ lasts }: Blow, trial: Trial, strikeMs: number): Promise<void> {
  const leftMs = strikeMs + spanMs(trial) - hostMs();
  if (lasts && leftMs > 0) await sleep(leftMs);
}

async function openAll(crew: Crew, site: Site): Promise<void> {
  await Promise.all(
    crew.clients.map((client, place) => client.ask({ kind: 'open', opening: site.opening(place) })),
  );
}

/**
 * The victim first, and inside, for nothing says who gets a lock first; then another, until it waits; the rest join
 * when the fault has struck, for who waits already may be asleep for a while.
 */
async function beginAll(crew: Crew, trial: Trial): Promise<void> {
  const { victim, others } = crew.parts;
  const [waiter, ...late] = others;
  const inside = victim.says('inside');
  await begin(victim, trial, 'lingers');
  await within(inside, `${victim.name} did not get in`);
  const waiting = waiter?.says('waiting') ?? Promise.resolve();
  if (waiter !== undefined) await begin(waiter, trial, 'waits');
  await Promise.all(late.map((other) => begin(other, trial, 'joins late')));
  await within(waiting, 'nobody waited');
}

type Part = 'lingers' | 'waits' | 'joins late';

async function begin(client: Client, { key, fault }: Trial, part: Part): Promise<void> {
  const probeKey = `${key}/probe/${client.name}`;
  // Who stands still between the last look and the write is what this one fault is about.
  const looksAgain = fault !== 'pause';
  const pace = { thinkMs: THINK_MS, probeEveryMs: PROBE_EVERY_MS };
  const parts = { lingers: part === 'lingers', joinsLate: part === 'joins late' };
  const work = { key, looksAgain, probeKey, ...parts, ...pace };
  await client.ask({ kind: 'begin', work });
}

async function within<T>(what: Promise<T>, otherwise: string): Promise<T> {
  const stop = new AbortController();
  const late = sleep(BEGIN_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${otherwise} within ${BEGIN_MS} ms`);
  });
  try {
    return await Promise.race([what, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}

/** Each of them its own key, and one of them the shared one, from now on; what is not is seen in what was written down. */
async function served(others: readonly Client[]): Promise<void> {
  const probed = others.map((other) => other.says('probed'));
  const granted = Promise.race(others.map((other) => other.says('granted')));
  await Promise.race([Promise.all([...probed, granted]), sleep(RECOVER_MS)]);
}

/** What the probes of the others saw. */
async function finishAll(crew: Crew, blow: Blow): Promise<readonly (readonly Sample[])[]> {
  const { victim, others } = crew.parts;
  if (blow.isDeadly) crew.replace(victim);
  else {
    victim.proceed();
    await victim.ask({ kind: 'finish' });
  }
  return await Promise.all(others.map((other) => other.ask({ kind: 'finish' })));
}

/** A signal takes a moment to arrive. What the dead still wrote down meanwhile is left out; what they sent counts. */
function livingOnly(entries: readonly Entry[]): readonly Entry[] {
  const deaths = new Map(
    entries.filter(({ type }) => type === 'crashed').map(({ client, atMs }) => [client, atMs]),
  );
  return entries.filter(
    ({ type, client, atMs }) =>
      type === 'write' || atMs <= (deaths.get(client) ?? Number.POSITIVE_INFINITY),
  );
}
