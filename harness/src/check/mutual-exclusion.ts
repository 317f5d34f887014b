import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { doubted, flawOf } from './flaw.ts';
import { firstOverlap, isUnbounded, type Overlap, proofOf, type Span } from './span.ts';
import { ok, shown, violated } from './verdict.ts';

type ValidityEvent = Extract<HistoryEvent, { readonly validUntilMs: number }>;
/** A lease: its grant, the latest claim of its validity, and the event that ended it. */
interface Lease {
  readonly granted: Extract<ValidityEvent, { readonly type: 'granted' }>;
  claim: ValidityEvent;
  end: Ends | undefined;
}

type Ends = Extract<HistoryEvent, { readonly type: 'release' | 'lost' | 'crashed' }>;

/**
 * Judges if two leases of one key were ever valid at once. A lease is valid from its grant until its latest validity ends,
 * it is lost, or its release is requested, whichever is first. The span is unbroken: a claim of validity covers all the time
 * since the grant. A crash does not end a lease, because the store does not notice it. It does end a lease without time
 * limit, because no one is left to claim it. An acquisition with unknown outcome begins no lease.
 */
export function mutualExclusion(history: readonly HistoryEvent[]): Verdict {
  return doubted(flawOf(history), 'validity') ?? judgeValidity(history);
}

/** Expects a history without flaw. */
export function judgeValidity(history: readonly HistoryEvent[]): Verdict {
  const spans = validSpans(history);
  const overlap = firstOverlap(spans);
  if (overlap !== undefined) return violated('validity', describe(overlap), proofOf(overlap));
  return ok('validity', `no two of ${spans.length} leases were valid at once`);
}

/** One span for each lease. Expects a history without flaw. */
export function validSpans(history: readonly HistoryEvent[]): readonly Span[] {
  const leases = new Map<string, Lease>();
  const inside = new Set<string>();
  for (const event of history) {
    if (event.type === 'enter') inside.add(event.hold);
    else if (event.type === 'exit') inside.delete(event.hold);
    if (event.type === 'granted')
      leases.set(event.hold, { granted: event, claim: event, end: undefined });
    else if (event.type === 'renewed' && isClaim(event)) claim(leases.get(event.hold), event);
    else if (isLeftOpen(event, inside)) continue;
    else if (ends(event)) end(leases.get(event.hold), event);
    else if (event.type === 'crashed') abandon(leases, event);
  }
  return [...leases.values()].map(span);
}

/** Closing does not end the lease of a critical section that still runs. */
function isLeftOpen(event: HistoryEvent, inside: ReadonlySet<string>): boolean {
  return event.type === 'lost' && event.reason === 'closed' && inside.has(event.hold);
}

/** Ends the leases without time limit of a client that crashed. */
function abandon(
  leases: ReadonlyMap<string, Lease>,
  crash: Extract<HistoryEvent, { readonly type: 'crashed' }>,
): void {
  for (const lease of leases.values()) {
    const { granted, claim: latest } = lease;
    const isUnlimited = isUnbounded(granted.atMs, latest.validUntilMs);
    if (granted.client === crash.client && isUnlimited) end(lease, crash);
  }
}

function claim(lease: Lease | undefined, by: ValidityEvent): void {
  if (lease !== undefined) lease.claim = by;
}

/** The first end counts. */
function end(lease: Lease | undefined, by: Ends): void {
  if (lease !== undefined) lease.end ??= by;
}

function span({ granted, claim: latest, end: by }: Lease): Span {
  const { key, client, hold, atMs, mode } = granted;
  const isCut = by !== undefined && by.atMs < latest.validUntilMs;
  const untilMs = isCut ? by.atMs : latest.validUntilMs;
  const proof: HistoryEvent[] = latest === granted ? [granted] : [granted, latest];
  if (isCut) proof.push(by);
  return { key, client, hold, fromMs: atMs, untilMs, mode, proof };
}

/** A renewal that has ended by the time its holder learns of it, for example after a pause, claims nothing. */
function isClaim({ atMs, validUntilMs }: ValidityEvent): boolean {
  return validUntilMs > atMs;
}

function ends(event: HistoryEvent): event is Exclude<Ends, { readonly type: 'crashed' }> {
  return event.type === 'release' || event.type === 'lost';
}

function describe({ key, first, second, fromMs, untilMs }: Overlap): string {
  return `${first.client} and ${second.client} both held ${key} validly from ${shown(fromMs)} to ${shown(untilMs)}`;
}
