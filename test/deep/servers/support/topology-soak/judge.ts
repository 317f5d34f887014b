import type { HistoryEvent } from '@holdfast/core/backend';
import { explain, mutualExclusion, overlapMs } from '@holdfast/harness/check';

/** Two leases of a key that were valid at once, or a token that is not larger than that of an earlier grant. */
export interface Violation {
  readonly kind: 'overlap' | 'token';
  readonly key: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly text: string;
}

/** Events are judged once they are this old: those of a client that was paused have arrived by then. */
const LATE_MS = 25_000;
/** A hold is kept for so long after its last event and its validity: its release may take that long. */
const KEPT_MS = 60_000;

/** Judges the histories of all clients while they go on, and forgets what is judged. */
export class SoakJudge {
  readonly violations: Violation[] = [];
  /** Reasons why a history could not be judged. */
  readonly flaws: string[] = [];
  readonly #histories = new Map<string, HistoryEvent[]>();
  readonly #tokens = new Map<string, { token: bigint; atMs: number }>();
  /** Holds whose violation is reported: they are not judged again. */
  readonly #reported = new Set<string>();

  add(events: readonly HistoryEvent[]): void {
    for (const event of events) {
      const history = this.#histories.get(event.key);
      if (history === undefined) this.#histories.set(event.key, [event]);
      else history.push(event);
    }
  }

  /** Judges what happened until `nowMs`, less what may still arrive. */
  judge(nowMs: number): void {
    this.#judgeUntil(nowMs - LATE_MS);
  }

  /** Judges everything that is left. */
  end(): void {
    this.#judgeUntil(Number.POSITIVE_INFINITY);
  }

  #judgeUntil(untilMs: number): void {
    for (const [key, events] of this.#histories) {
      const sorted = events.toSorted((a, b) => a.atMs - b.atMs);
      const judged = sorted.filter(
        (event) => event.atMs <= untilMs && !('hold' in event && this.#reported.has(event.hold)),
      );
      const history = judged.map((event, seq) => ({ ...event, seq }));
      this.#judgeTokens(key, history);
      this.#judgeOverlaps(key, history, untilMs);
      const kept = keptOf(sorted, untilMs - KEPT_MS);
      if (kept.length > 0) this.#histories.set(key, kept);
      else this.#histories.delete(key);
    }
  }

  #judgeTokens(key: string, history: readonly HistoryEvent[]): void {
    const largest = this.#tokens.get(key) ?? { token: 0n, atMs: Number.NEGATIVE_INFINITY };
    for (const event of history) {
      // Those until `atMs` were compared before.
      if (event.type !== 'granted' || event.atMs <= largest.atMs) continue;
      const token = BigInt(event.token ?? 0);
      if (token <= largest.token)
        this.#report('token', event, event.atMs, `${token} after ${largest.token}`);
      else largest.token = token;
      largest.atMs = event.atMs;
    }
    this.#tokens.set(key, largest);
  }

  /** One violation after the other: the harness' check reports the first overlap of a history. */
  #judgeOverlaps(key: string, history: readonly HistoryEvent[], untilMs: number): void {
    const verdict = mutualExclusion(history);
    if (verdict.kind === 'unknown') this.flaws.push(`${key}: ${explain(verdict)}`);
    const grants = verdict.proof.filter((event) => event.type === 'granted');
    const [first, second] = grants;
    if (verdict.kind !== 'violated' || first === undefined || second === undefined) return;
    const endMs = second.atMs + overlapMs(history, 'validity');
    // It may yet be shown to end earlier, by a release.
    if (endMs > untilMs) return;
    this.#report('overlap', second, endMs, explain(verdict));
    this.#reported.add(first.hold);
    this.#judgeOverlaps(
      key,
      history.filter((event) => !('hold' in event) || event.hold !== first.hold),
      untilMs,
    );
  }

  #report(
    kind: Violation['kind'],
    { key, atMs }: HistoryEvent,
    untilMs: number,
    text: string,
  ): void {
    this.violations.push({ kind, key, fromMs: atMs, untilMs, text });
  }
}

/** The events of the holds that had an event, or were valid, after `sinceMs`. */
function keptOf(events: readonly HistoryEvent[], sinceMs: number): HistoryEvent[] {
  const latest = new Map<string, number>();
  for (const event of events) {
    if (!('hold' in event)) continue;
    const ms = Math.max(event.atMs, 'validUntilMs' in event ? event.validUntilMs : 0);
    latest.set(event.hold, Math.max(latest.get(event.hold) ?? 0, ms));
  }
  return events.filter((event) => 'hold' in event && (latest.get(event.hold) ?? 0) > sinceMs);
}
