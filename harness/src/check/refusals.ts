import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import type { AttemptRecord, RefusalRecord, StoredSpan } from './refusal-record.ts';
import { ok, shown, violated } from './verdict.ts';

type Refusal = Extract<HistoryEvent, { readonly type: 'denied' | 'doubt' }>;

/** The maximum drift of clocks whose times can be compared; stores round to whole ms. */
const DRIFT_SHARE = 1 / 100;
const ROUNDED_MS = 2;

/**
 * Judges the error that a failed acquisition reported, by the servers' records and by the outcomes of its attempts.
 *
 * - The key is taken (LOCK_TIMEOUT): the latest attempt with a reply said so, and no whole attempt after it lacked a reply.
 *   A server stored the value of another client at some instant since that attempt began. The reported remaining time is
 *   no more than the servers had promised to any client since.
 * - The store does not serve (BACKEND_UNAVAILABLE): the latest attempt did not get the reply that the key is taken.
 * - Either of them: the withdrawal was not in doubt, and none of its values is stored on a server, or arrives there later.
 * - The outcome is unknown (OUTCOME_UNKNOWN): the backend is in doubt; and a request had no reply, or a value is stored.
 *
 * Not judged, because the truth is not known or not recorded: a client that never had its turn, which knows only the
 * queue of its own process; how many nodes denied a vote; and how long a value may be stored at most, which is an
 * estimate. Expects a history without flaw.
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
  return ok('answers', `all ${records.length} failed acquisitions reported the truth`);
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
  const report = `${describe(event)} ${event.key} is taken`;
  const at = record.attempts.findLastIndex(({ kind }) => kind === 'busy');
  const busy = record.attempts[at];
  if (busy === undefined) return `${report}, but none of its attempts got that reply`;
  const silent = record.attempts.slice(at + 1).find(isSilent);
  if (silent !== undefined)
    return `${report}, but its attempt of ${shown(silent.fromMs)} did not get that reply`;
  const fromMs = record.isQueue ? (record.attempts[0]?.fromMs ?? busy.fromMs) : busy.fromMs;
  const untilMs = latestUntilMs(record.others, fromMs, event.atMs);
  if (untilMs === undefined)
    return `${report}, but by the servers' records no other client had it since ${shown(fromMs)}`;
  return overstatedViolation(event, record, untilMs);
}

/** True if an attempt had time enough for a reply and got none, or was granted the key itself. */
function isSilent({ kind, isWhole }: AttemptRecord): boolean {
  return kind === 'granted' || (isWhole && kind !== 'busy');
}

function overstatedViolation(
  event: Refusal,
  { leftMs, attempts, withdrawn }: RefusalRecord,
  untilMs: number,
): string | undefined {
  if (leftMs === undefined || withdrawn === undefined) return undefined;
  // The error is created after the withdrawal; its process may be paused before the caller can read it.
  const reportedMs = withdrawn.atMs + leftMs;
  const sinceMs = withdrawn.atMs - (attempts[0]?.fromMs ?? withdrawn.atMs);
  const spareMs = ROUNDED_MS + DRIFT_SHARE * (leftMs + sinceMs);
  if (reportedMs <= untilMs + spareMs) return undefined;
  return `${describe(event)} the holder of ${event.key} has it until ${shown(reportedMs)}, but the servers had promised it to no one beyond ${shown(untilMs)}`;
}

/** The latest end of all values that were stored at some instant of the inclusive span. */
function latestUntilMs(
  values: readonly StoredSpan[],
  fromMs: number,
  toMs: number,
): number | undefined {
  let best: number | undefined;
  for (const value of values)
    if (value.fromMs <= toMs && endOf(value) >= fromMs) best = Math.max(best ?? 0, value.untilMs);
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
  return `${describe(event)} the store does not serve ${event.key}, but its latest attempt got the reply that it is taken`;
}

function leftoverViolation(event: Refusal, { withdrawn, own }: RefusalRecord): string | undefined {
  const report = `${describe(event)} it did not acquire ${event.key}`;
  if (withdrawn?.kind === 'unknown') return `${report}, but its withdrawal is unknown`;
  const { atMs } = event;
  const left = own.find((value) => endOf(value) > atMs);
  if (left === undefined) return undefined;
  return left.fromMs > atMs
    ? `${report}, but by the servers' records it acquired it at ${shown(left.fromMs)}`
    : `${report}, but by the servers' records it has it until ${shown(left.untilMs)}`;
}

function needlessDoubtViolation(
  event: Refusal,
  { attempts, withdrawn, isAnswered, own }: RefusalRecord,
): string | undefined {
  const report = `${describe(event)} it may have acquired ${event.key}`;
  if (attempts.some(({ kind }) => kind === 'granted' || kind === 'threw')) return undefined;
  if (withdrawn?.kind === 'clean') return `${report}, but its backend knew that it had not`;
  const { atMs } = event;
  const isStored = own.some((value) => value.fromMs <= atMs && endOf(value) > atMs);
  if (isAnswered !== true || isStored) return undefined;
  return `${report}, but every request had a reply`;
}

function describe({ client, atMs }: Refusal): string {
  return `the lock reported to ${client} at ${shown(atMs)} that`;
}
