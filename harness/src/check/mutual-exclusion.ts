import type { HistoryEvent, Verdict } from '@holdfast/core';
import { doubted, flawOf } from './flaw.ts';
import { evidenceOf, firstOverlap, isUnbounded, type Overlap, type Span } from './span.ts';
import { ok, shown, violated } from './verdict.ts';

type ValidityEvent = Extract<HistoryEvent, { readonly validUntilMs: number }>;
/** What is known of a lease: its grant, the latest word on its validity, and what ended it. */
interface Lease {
  readonly granted: Extract<ValidityEvent, { readonly type: 'granted' }>;
  readonly said: ValidityEvent;
  readonly end?: Ends;
}

type Ends = Extract<HistoryEvent, { readonly type: 'release' | 'lost' | 'crashed' }>;

/**
 * Whether two leases of one key were ever valid at once. A lease is valid from its grant until the end of validity as
 * last told, or until it is lost or its release is asked for, whichever is first; without a gap, since a lease that
 * says it is valid says that it has been ever since. A crash does not end it: the store knows nothing of the crash.
 * But where a holder claims the key for as long as it likes, nobody is left to claim it.
 * Doubt about an acquisition does not begin it.
 */
export function mutualExclusion(history: readonly HistoryEvent[]): Verdict {
  return doubted(flawOf(history), 'validity') ?? judgeValidity(history);
}

/** Expects a history without flaw. */
export function judgeValidity(history: readonly HistoryEvent[]): Verdict {
  const spans = validSpans(history);
  const overlap = firstOverlap(spans);
  if (overlap !== undefined) return violated('validity', describe(overlap), evidenceOf(overlap));
  return ok('validity', `no two of ${spans.length} leases were valid at once`);
}

/** One span for each lease. Expects a history without flaw. */
export function validSpans(history: readonly HistoryEvent[]): readonly Span[] {
  const leases = new Map<string, Lease>();
  const inside = new Set<string>();
  for (const event of history) {
    if (event.type === 'enter') inside.add(event.hold);
    else if (event.type === 'exit') inside.delete(event.hold);
    if (event.type === 'granted') leases.set(event.hold, { granted: event, said: event });
    else if (event.type === 'renewed' && isClaim(event)) amend(leases, event.hold, { said: event });
    else if (isLeftOpen(event, inside)) continue;
    else if (ends(event) && leases.get(event.hold)?.end === undefined)
      amend(leases, event.hold, { end: event });
    else if (event.type === 'crashed') abandon(leases, event);
  }
  return [...leases.values()].map(span);
}

/** Closing ends no body that still runs: its key is its own for as long as its lease was told to last. */
function isLeftOpen(event: HistoryEvent, inside: ReadonlySet<string>): boolean {
  return event.type === 'lost' && event.reason === 'closed' && inside.has(event.hold);
}

/** Ends what the dead claimed for as long as they liked. */
function abandon(
  leases: Map<string, Lease>,
  death: Extract<HistoryEvent, { readonly type: 'crashed' }>,
): void {
  for (const [hold, { granted, said, end }] of leases) {
    const isTheirs = granted.client === death.client && end === undefined;
    if (isTheirs && isUnbounded(granted.atMs, said.validUntilMs))
      amend(leases, hold, { end: death });
  }
}

function amend(leases: Map<string, Lease>, hold: string, change: Partial<Lease>): void {
  const lease = leases.get(hold);
  if (lease !== undefined) leases.set(hold, { ...lease, ...change });
}

function span({ granted, said, end }: Lease): Span {
  const { key, client, hold, atMs } = granted;
  const isCut = end !== undefined && end.atMs < said.validUntilMs;
  const untilMs = isCut ? end.atMs : said.validUntilMs;
  const proof = new Set([granted, said, ...(isCut ? [end] : [])]);
  return { key, client, hold, fromMs: atMs, untilMs, proof: [...proof] };
}

/** News of a renewal that is over by the time it is heard, for example after a pause, claims nothing. */
function isClaim({ atMs, validUntilMs }: ValidityEvent): boolean {
  return validUntilMs > atMs;
}

function ends(event: HistoryEvent): event is Exclude<Ends, { readonly type: 'crashed' }> {
  return event.type === 'release' || event.type === 'lost';
}

function describe({ key, first, second, fromMs, untilMs }: Overlap): string {
  return `${first.client} and ${second.client} both held ${key} validly from ${shown(fromMs)} to ${shown(untilMs)}`;
}
