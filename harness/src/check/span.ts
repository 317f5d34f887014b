import type { HistoryEvent, HoldMode } from '@holdfast/core/backend';

/** A closed-open interval in which one hold of a key is valid, or its client believes that it holds. */
export interface Span {
  readonly key: string;
  readonly client: string;
  readonly hold: string;
  readonly fromMs: number;
  /** Infinity if it never ended. */
  readonly untilMs: number;
  /** Absent: exclusively. */
  readonly mode?: HoldMode | undefined;
  /** The events that prove it, in order of time. */
  readonly proof: readonly HistoryEvent[];
}

/** Two spans of one key that overlap. */
export interface Overlap {
  readonly key: string;
  readonly first: Span;
  readonly second: Span;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * The overlap that begins first, or undefined if no spans of a key exclude each other. One span for each hold. O(n log n), if
 * all are exclusive.
 */
export function firstOverlap(spans: readonly Span[]): Overlap | undefined {
  if (spans.some(({ mode }) => mode !== undefined && mode.kind !== 'exclusive'))
    return firstConflict(spans);
  const latest = new Map<string, Span>();
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (span.untilMs <= span.fromMs) continue;
    const before = latest.get(span.key);
    if (before !== undefined && span.fromMs < before.untilMs)
      return {
        key: span.key,
        first: before,
        second: span,
        fromMs: span.fromMs,
        untilMs: Math.min(before.untilMs, span.untilMs),
      };
    latest.set(span.key, span);
  }
  return undefined;
}

/** As `firstOverlap`, if some spans may overlap: readers each other, and permits as long as there are enough. */
function firstConflict(spans: readonly Span[]): Overlap | undefined {
  const active = new Map<string, Span[]>();
  for (const second of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const { key, fromMs } = second;
    if (second.untilMs <= fromMs) continue;
    const beside = (active.get(key) ?? []).filter(({ untilMs }) => untilMs > fromMs);
    const first = excluding(beside, second);
    if (first !== undefined)
      return { key, first, second, fromMs, untilMs: Math.min(first.untilMs, second.untilMs) };
    active.set(key, [...beside, second]);
  }
  return undefined;
}

/** True if two spans of one key that overlap from `fromMs` on must not, beside all others of `among` at that time. */
export function areInConflict(a: Span, b: Span, fromMs: number, among: readonly Span[]): boolean {
  if (a.mode?.kind !== 'permits' || b.mode?.kind !== 'permits')
    return excluding([a], b) !== undefined;
  const beside = among.filter(
    (each) => each !== b && each.key === b.key && each.fromMs <= fromMs && fromMs < each.untilMs,
  );
  return excluding(beside, b) !== undefined;
}

/** True if two holds of one key exclude each other, whoever else holds it. */
export function exclude(a: HoldMode | undefined, b: HoldMode | undefined): boolean {
  return excluding([{ mode: a }], { mode: b }) !== undefined;
}

/** One of the spans beside which the last one must not be valid. */
function excluding<T extends Pick<Span, 'mode'>>(beside: readonly T[], last: T): T | undefined {
  const kind = last.mode?.kind ?? 'exclusive';
  const other = beside.find(({ mode }) => kind === 'exclusive' || mode?.kind !== kind);
  if (other !== undefined || last.mode?.kind !== 'permits') return other;
  const modes = [...beside, last].flatMap(({ mode }) => (mode?.kind === 'permits' ? [mode] : []));
  const used = modes.reduce((sum, { permits }) => sum + permits, 0);
  return used > Math.min(...modes.map(({ of }) => of)) ? beside.at(-1) : undefined;
}

/** The proofs of both, in order, each event once. */
export function proofOf({ first, second }: Overlap): readonly HistoryEvent[] {
  return [...new Set([...first.proof, ...second.proof])].toSorted((a, b) => a.seq - b.seq);
}

/** The maximum ttl: a client that claims a validity of a day never reads a clock. */
const DAY_MS = 86_400_000;
/** No run lasts longer; a correct claim of a day is shorter than a day by the drift of clocks. */
const RUN_MS = 600_000;

/** True for a claim without time limit. */
export function isUnbounded(fromMs: number, untilMs: number): boolean {
  return untilMs - fromMs > DAY_MS - RUN_MS;
}
