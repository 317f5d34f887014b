import type { FaultId, HistoryEvent, Verdict } from '@holdfast/core/backend';
import { belief, mutualExclusion } from '../check/index.ts';
import { type Updates, updatesOf, writesOf } from '../check/updates.ts';
import type { CountedUpdates, Evidence } from './report.ts';

/** The history of one schedule, or of one repetition on real servers. */
export type History = readonly HistoryEvent[];

/** Sums up the verdicts on all trials. */
export function evidenceOf(
  trials: readonly History[],
  fault: FaultId,
  isLocked: boolean,
): Evidence {
  const validity = isLocked ? trials.map(mutualExclusion) : [];
  const beliefs = isLocked ? trials.map(belief) : [];
  const verdicts = [...validity, ...beliefs];
  const example = first(verdicts, 'violated');
  const flaw = first(verdicts, 'unknown');
  const unfenced = trials.map((history) => updatesOf(history, false));
  const hasTokens = trials.some((history) => writesOf(history, true).length > 0);
  const fenced = isLocked && hasTokens ? trials.map((history) => updatesOf(history, true)) : null;
  const total = totalOf(unfenced);
  return {
    trials: trials.length,
    effective: trials.filter((history) => tookEffect(history, fault, isLocked)).length,
    asked: total.accepted + total.refused,
    sent: total.accepted,
    validityViolated: isLocked ? countKind(validity, 'violated') : null,
    beliefViolated: isLocked ? countKind(beliefs, 'violated') : null,
    unfencedViolated: unfenced.filter(isLossy).length,
    fencedViolated: fenced?.filter(isLossy).length ?? null,
    stuck: 0,
    unfenced: total,
    fenced: fenced === null ? null : totalOf(fenced),
    ...(example === undefined ? {} : { example }),
    ...(flaw === undefined ? {} : { flaw }),
  };
}

function totalOf(each: readonly Updates[]): CountedUpdates {
  return {
    accepted: sum(each.map(({ accepted }) => accepted)),
    refused: sum(each.map(({ refused }) => refused)),
    lost: sum(each.map(({ lost }) => lost)),
  };
}

function isLossy({ lost }: Updates): boolean {
  return lost > 0;
}

function countKind(verdicts: readonly Verdict[], kind: Verdict['kind']): number {
  return verdicts.filter((verdict) => verdict.kind === kind).length;
}

function first(verdicts: readonly Verdict[], kind: Verdict['kind']): string | undefined {
  return verdicts.find((verdict) => verdict.kind === kind)?.message;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/**
 * True if the fault took effect while one client held and another waited; with `none`, if one ever held while another
 * waited. Clients that the fault affected do not count as waiting. Without a lock no client waits, so any effect counts.
 */
export function tookEffect(history: History, fault: FaultId, isLocked: boolean): boolean {
  const type = effectOf(fault);
  const effects = history.filter((event) => event.type === type);
  if (!isLocked) return fault === 'none' || effects.length > 0;
  const affected = new Set(fault === 'none' ? [] : effects.map(({ client }) => client));
  return effects.some((effect) => {
    const before = history.filter(({ seq }) => seq < effect.seq);
    const others = [...waiting(before)].filter(
      (client) => client !== effect.client && !affected.has(client),
    );
    return isInside(before, effect.client) && others.length > 0;
  });
}

/** The event that shows the effect of a fault; for contention, the end of a critical section. */
function effectOf(fault: FaultId): HistoryEvent['type'] {
  if (fault === 'none') return 'exit';
  return fault === 'holder-crash' ? 'crashed' : 'paused';
}

/** True if the client is in a critical section at the end of the history. */
function isInside(history: History, client: string): boolean {
  const own = history.filter((event) => event.client === client);
  const latest = own.findLast(({ type }) => type === 'enter' || type === 'exit');
  return latest?.type === 'enter';
}

/** The clients that wait for the key at the end of the history. */
export function waiting(history: History): ReadonlySet<string> {
  const open = new Map<string, string>();
  for (const event of history) {
    if (!('hold' in event)) continue;
    if (event.type === 'acquire') open.set(event.hold, event.client);
    else open.delete(event.hold);
  }
  return new Set(open.values());
}

/** The time from the crash of the holder until another client is granted the key, in ms; empty if there is none. */
export function takeoverMs(history: History): readonly number[] {
  const crash = history.find(
    ({ type, client, seq }) => type === 'crashed' && isInside(history.slice(0, seq), client),
  );
  if (crash === undefined) return [];
  const next = history.slice(crash.seq).find(({ type }) => type === 'granted');
  return next === undefined ? [] : [next.atMs - crash.atMs];
}
