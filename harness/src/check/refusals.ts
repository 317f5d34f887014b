import type { HistoryEvent, Verdict } from '@holdfast/core';
import type { AttemptRecord, RefusalRecord, StoredSpan } from './refusal-record.ts';
import { ok, shown, violated } from './verdict.ts';

type Refusal = Extract<HistoryEvent, { readonly type: 'denied' | 'doubt' }>;

/** A clock runs off by so much at most where times can be compared at all, and stores round to whole ms. */
const DRIFT_SHARE = 1 / 100;
const ROUNDED_MS = 2;

/**
 * Whether what a client was told as it gave up waiting was true, by the servers' own record and by what its attempts came to.
 *
 * - That the key is taken (LOCK_TIMEOUT): by the latest attempt that got an answer, and no whole attempt after it got none.
 *   Somebody else's value stood on a server at some instant since that attempt began. What the holder is said to have left
 *   is no more than the servers had promised anybody since.
 * - That the store does not serve (BACKEND_UNAVAILABLE): its latest attempt was not answered that the key is taken.
 * - Either of them: its backend is in no doubt of what it leaves behind, and nothing of it stands on a server, or lands there.
 * - That nobody knows (OUTCOME_UNKNOWN): its backend is in doubt; and something that was sent was not answered, or stands.
 *
 * Not judged, because nobody can know what is true, or because the record does not tell: who never had its turn, and knows
 * only what stands before it in its own process; how many nodes denied a vote; and for how long something may stand at
 * most, which is an estimate. Expects a history without flaw.
 */
export function judgeRefusals(
  history: readonly HistoryEvent[],
  records: readonly RefusalRecord[],
): Verdict {
  if (records.length > 0) {
    const byHold = new Map(records.map((record) => [record.hold, record]));
    for (const event of history) {
      if (event.type !== 'denied' && event.type !== 'doubt') continue;
      const record = byHold.get(event.hold);
      const message = record === undefined ? undefined : refusalViolation(event, record);
      if (message !== undefined) return violated('answers', message, evidenceFor(history, event));
    }
  }
  return ok('answers', `all that was told to ${records.length} who gave up was true`);
}

function evidenceFor(history: readonly HistoryEvent[], { hold }: Refusal): readonly HistoryEvent[] {
  return history.filter((event) => 'hold' in event && event.hold === hold);
}

function refusalViolation(event: Refusal, record: RefusalRecord): string | undefined {
  if (record.attempts.length === 0) return undefined;
  if (event.reason === 'LOCK_TIMEOUT')
    return falselyTakenViolation(event, record) ?? leftoverViolation(event, record);
  if (event.reason === 'BACKEND_UNAVAILABLE')
    return falselyUnavailableViolation(event, record) ?? leftoverViolation(event, record);
  return event.reason === 'OUTCOME_UNKNOWN' ? needlessDoubtViolation(event, record) : undefined;
}

function falselyTakenViolation(event: Refusal, record: RefusalRecord): string | undefined {
  const what = `${describe(event)} ${event.key} is taken`;
  const at = record.attempts.findLastIndex(({ kind }) => kind === 'busy');
  const busy = record.attempts[at];
  if (busy === undefined) return `${what}, and no attempt of it was answered so`;
  const silent = record.attempts.slice(at + 1).find(isSilent);
  if (silent !== undefined)
    return `${what}, and since ${shown(silent.fromMs)} an attempt of it had not been answered so`;
  const fromMs = record.isQueue ? (record.attempts[0]?.fromMs ?? busy.fromMs) : busy.fromMs;
  const untilMs = latestUntilMs(record.others, fromMs, event.atMs);
  if (untilMs === undefined)
    return `${what}, and nobody else had it by the servers' own record since ${shown(fromMs)}`;
  return overstatedViolation(event, record, untilMs);
}

/** It had time enough to be answered, and was not, or had the key itself. */
function isSilent({ kind, isWhole }: AttemptRecord): boolean {
  return kind === 'granted' || (isWhole && kind !== 'busy');
}

function overstatedViolation(
  event: Refusal,
  { leftMs, attempts, withdrawn }: RefusalRecord,
  untilMs: number,
): string | undefined {
  if (leftMs === undefined || withdrawn === undefined) return undefined;
  // The error is made as its contender has withdrawn; its process may stand still before anybody can read it.
  const toldMs = withdrawn.atMs + leftMs;
  const sinceMs = withdrawn.atMs - (attempts[0]?.fromMs ?? withdrawn.atMs);
  const spareMs = ROUNDED_MS + DRIFT_SHARE * (leftMs + sinceMs);
  if (toldMs <= untilMs + spareMs) return undefined;
  return `${describe(event)} the holder of ${event.key} has it until ${shown(toldMs)}, and the servers had promised nobody more than until ${shown(untilMs)}`;
}

/** Until when anybody had it whose value stood there at some instant of the span, which is inclusive. */
function latestUntilMs(
  stays: readonly StoredSpan[],
  fromMs: number,
  toMs: number,
): number | undefined {
  let best: number | undefined;
  for (const stay of stays)
    if (stay.fromMs <= toMs && endOf(stay) >= fromMs) best = Math.max(best ?? 0, stay.untilMs);
  return best;
}

function endOf({ toMs, untilMs }: StoredSpan): number {
  return Math.min(toMs, untilMs);
}

function falselyUnavailableViolation(
  event: Refusal,
  { attempts }: RefusalRecord,
): string | undefined {
  if (attempts.at(-1)?.kind !== 'busy') return undefined;
  return `${describe(event)} the store does not serve ${event.key}, and its latest attempt was answered that it is taken`;
}

function leftoverViolation(event: Refusal, { withdrawn, own }: RefusalRecord): string | undefined {
  const what = `${describe(event)} it has not got ${event.key}`;
  if (withdrawn?.kind === 'unknown') return `${what}, and nobody knows whether it may get it yet`;
  const { atMs } = event;
  const left = own.find((stay) => endOf(stay) > atMs);
  if (left === undefined) return undefined;
  return left.fromMs > atMs
    ? `${what}, and it got it at ${shown(left.fromMs)} by the servers' own record`
    : `${what}, and it has it until ${shown(left.untilMs)} by the servers' own record`;
}

function needlessDoubtViolation(
  event: Refusal,
  { attempts, withdrawn, isAnswered, own }: RefusalRecord,
): string | undefined {
  const what = `${describe(event)} nobody knows whether it has got ${event.key}`;
  if (attempts.some(({ kind }) => kind === 'granted' || kind === 'threw')) return undefined;
  if (withdrawn?.kind === 'clean') return `${what}, and its backend did`;
  const { atMs } = event;
  const stands = own.some((stay) => stay.fromMs <= atMs && endOf(stay) > atMs);
  if (isAnswered !== true || stands) return undefined;
  return `${what}, and all that was sent had been answered`;
}

function describe({ client, atMs }: Refusal): string {
  return `${client} was told at ${shown(atMs)} that`;
}
