import type { HistoryEvent, Verdict } from '@holdfast/core';
import { type HoldRecord, isHeldThroughout, NEVER_MS, provenUntilMs } from './hold-record.ts';
import { ok, shown, violated } from './verdict.ts';

type HoldEvent = Extract<HistoryEvent, { readonly hold: string }>;
type ValidityClaim = Extract<HoldEvent, { readonly validUntilMs: number }>;

/** What of a hold its later answers are judged by. */
interface HoldContext {
  readonly record: HoldRecord;
  /** When it was last told that it holds. */
  heldMs: number;
  /** When it last asked, to acquire or to release. */
  askedMs: number;
  isLost: boolean;
}

/** Times are told to the microsecond, and a claim may be rounded up by one. */
const ROUNDED_MS = 0.002;
/** The holder's own clock says so, or its own process; the servers are not asked. */
const OWN_REASONS = new Set(['deadline', 'max-hold', 'closed', 'leaked']);

/**
 * Whether what a client was told of its hold was true by the servers' own record at some instant between its request and
 * the answer: that it holds, and for as long as it was told; that it was released; that it does not hold any more.
 * Stricter than validity, which asks only whether somebody else was there to be granted the key. Expects a history
 * without flaw.
 */
export function judgeAnswers(
  history: readonly HistoryEvent[],
  records: readonly HoldRecord[],
): Verdict {
  const holds = new Map<string, HoldContext>();
  for (const record of records)
    holds.set(record.hold, { record, heldMs: Number.NaN, askedMs: Number.NaN, isLost: false });
  for (const event of history) {
    if (!ANSWER_EVENTS.has(event.type) || !('hold' in event)) continue;
    const known = holds.get(event.hold);
    if (known === undefined) continue;
    const message = answerViolation(event, known);
    if (message !== undefined) return violated('answers', message, evidenceFor(history, event));
    update(event, known);
  }
  return ok('answers', `all that was told of ${records.length} holds was true`);
}

/** Most events ask for nothing and answer nothing. */
const ANSWER_EVENTS: ReadonlySet<HistoryEvent['type']> = new Set([
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
  if (event.type === 'acquire' || event.type === 'release') known.askedMs = event.atMs;
  else if (event.type === 'granted' || event.type === 'renewed') known.heldMs = event.atMs;
  else if (event.type === 'lost') known.isLost = true;
}

/** What is untrue about an event, where it is an answer; undefined when nothing is. */
function answerViolation(event: HoldEvent, known: HoldContext): string | undefined {
  if (event.type === 'granted') return overclaimViolation(event, known.askedMs, known);
  // What its holder says by its own clock answers no request.
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
  const what = `${describe(event)} it ${type === 'granted' ? '' : 'still '}held ${key}`;
  return provenMs === NEVER_MS
    ? `${what}, and it did not by the servers' own record`
    : `${what} until ${shown(validUntilMs)}, and the servers had it until ${shown(provenMs)} alone`;
}

function falseLossViolation(
  event: Extract<HoldEvent, { readonly type: 'lost' }>,
  { record, heldMs }: HoldContext,
): string | undefined {
  if (OWN_REASONS.has(event.reason) || !isHeldThroughout(record, heldMs, event.atMs))
    return undefined;
  return `${describe(event)} it had lost ${event.key}, and it held it all the time by the servers' own record`;
}

/** Where a lease was lost before, its release asks nobody. */
function falseReleaseViolation(
  event: Extract<HoldEvent, { readonly type: 'released' }>,
  { record, askedMs, isLost }: HoldContext,
): string | undefined {
  const { outcome, key, atMs } = event;
  if (isLost || outcome === 'unknown') return undefined;
  if (outcome === 'not-held')
    return isHeldThroughout(record, askedMs, atMs)
      ? `${describe(event)} it had not held ${key}, and it had by the servers' own record, until it released it`
      : undefined;
  if (provenUntilMs(record, askedMs, atMs) === NEVER_MS)
    return `${describe(event)} it had released ${key}, and it had not held it by the servers' own record`;
  return isHeldThroughout(record, askedMs, atMs, { countsOwn: true })
    ? `${describe(event)} it had released ${key}, and it holds it still by the servers' own record`
    : undefined;
}

function describe({ client, atMs }: HoldEvent): string {
  return `${client} was told at ${shown(atMs)} that`;
}
