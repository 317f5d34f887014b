import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { type HoldRecord, isHeldThroughout, NEVER_MS, provenUntilMs } from './hold-record.ts';
import { ok, shown, violated } from './verdict.ts';

type HoldEvent = Extract<HistoryEvent, { readonly hold: string }>;
type ValidityClaim = Extract<HoldEvent, { readonly validUntilMs: number }>;

/** The state of a hold that its next event is judged by. */
interface HoldContext {
  readonly record: HoldRecord;
  /** Time of the latest event that confirmed the hold to its client. */
  confirmedMs: number;
  /** Time of the latest request, to acquire or to release. */
  requestedMs: number;
  isLost: boolean;
}

/** Times are recorded to the microsecond, and a claim may be rounded up by one. */
const ROUNDED_MS = 0.002;
/** Reasons that come from the holder's own clock or process, not from a server. */
const OWN_REASONS = new Set(['deadline', 'max-hold', 'closed', 'leaked']);

/**
 * Judges every report that a client got about its hold: that it holds, and until when; that it released; that it holds no
 * longer. Each has to be true by the servers' records at some instant between the request and the reply. Stricter than
 * validity, which is violated only if another client was there to be granted the key. Expects a history without flaw.
 */
export function judgeAnswers(
  history: readonly HistoryEvent[],
  records: readonly HoldRecord[],
): Verdict {
  const holds = new Map<string, HoldContext>();
  for (const record of records)
    holds.set(record.hold, {
      record,
      confirmedMs: Number.NaN,
      requestedMs: Number.NaN,
      isLost: false,
    });
  for (const event of history) {
    if (!JUDGED_EVENTS.has(event.type) || !('hold' in event)) continue;
    const known = holds.get(event.hold);
    if (known === undefined) continue;
    const message = falseReport(event, known);
    if (message !== undefined) return violated('answers', message, evidenceFor(history, event));
    update(event, known);
  }
  return ok('answers', `all reports about ${records.length} holds were true`);
}

/** Requests and reports; all other events are skipped. */
const JUDGED_EVENTS: ReadonlySet<HistoryEvent['type']> = new Set([
  'acquire',
  'granted',
  'renewed',
  'lost',
  'release',
  'released',
]);

function evidenceFor(
  history: readonly HistoryEvent[],
  { hold, seq }: HoldEvent,
): readonly HistoryEvent[] {
  return history.filter((event) => 'hold' in event && event.hold === hold && event.seq <= seq);
}

function update(event: HoldEvent, known: HoldContext): void {
  if (event.type === 'acquire' || event.type === 'release') known.requestedMs = event.atMs;
  else if (event.type === 'granted' || event.type === 'renewed') known.confirmedMs = event.atMs;
  else if (event.type === 'lost') known.isLost = true;
}

/** The sentence on a false report; undefined if the event is true, or no report. */
function falseReport(event: HoldEvent, known: HoldContext): string | undefined {
  if (event.type === 'granted') return overclaimViolation(event, known.requestedMs, known);
  // Without a request the event comes from the holder's own clock.
  if (event.type === 'renewed')
    return event.askedMs === undefined
      ? undefined
      : overclaimViolation(event, event.askedMs, known);
  if (event.type === 'lost') return falseLossViolation(event, known);
  if (event.type === 'released') return falseReleaseViolation(event, known);
  return undefined;
}

function overclaimViolation(
  event: ValidityClaim,
  fromMs: number,
  { record }: HoldContext,
): string | undefined {
  const { type, key, validUntilMs, atMs } = event;
  if (validUntilMs <= atMs) return undefined;
  const provenMs = provenUntilMs(record, fromMs, atMs);
  if (validUntilMs <= provenMs + ROUNDED_MS) return undefined;
  const report = `${describe(event)} it ${type === 'granted' ? '' : 'still '}held ${key}`;
  return provenMs === NEVER_MS
    ? `${report}, but by the servers' records it did not`
    : `${report} until ${shown(validUntilMs)}, but by the servers' records only until ${shown(provenMs)}`;
}

function falseLossViolation(
  event: Extract<HoldEvent, { readonly type: 'lost' }>,
  { record, confirmedMs }: HoldContext,
): string | undefined {
  if (OWN_REASONS.has(event.reason) || !isHeldThroughout(record, confirmedMs, event.atMs))
    return undefined;
  return `${describe(event)} it had lost ${event.key}, but by the servers' records it held it throughout`;
}

/** The release of a lease that was already lost sends no request. */
function falseReleaseViolation(
  event: Extract<HoldEvent, { readonly type: 'released' }>,
  { record, requestedMs, isLost }: HoldContext,
): string | undefined {
  const { outcome, key, atMs } = event;
  if (isLost || outcome === 'unknown') return undefined;
  if (outcome === 'not-held')
    return isHeldThroughout(record, requestedMs, atMs)
      ? `${describe(event)} it had not held ${key}, but by the servers' records it held it until its release`
      : undefined;
  if (provenUntilMs(record, requestedMs, atMs) === NEVER_MS)
    return `${describe(event)} it had released ${key}, but by the servers' records it had not held it`;
  return isHeldThroughout(record, requestedMs, atMs, { countsOwn: true })
    ? `${describe(event)} it had released ${key}, but by the servers' records it still holds it`
    : undefined;
}

function describe({ client, atMs }: HoldEvent): string {
  return `the lock reported to ${client} at ${shown(atMs)} that`;
}
