import type { PlayResult, Sometimes } from '../simulator/index.ts';
import { type TargetProperty, type Violation, violationsOf } from './violations.ts';

/** The counts of many runs, in constant size. */
export interface Tally {
  readonly schedules: number;
  /** Schedules in which a fault took effect while one client held and another waited. */
  readonly effective: number;
  /** Operations of clients that did not crash, and how many of them completed their write. */
  readonly ops: number;
  readonly accepted: number;
  /** Schedules that violated a property, by the names of {@link propertyName}. */
  readonly violated: Readonly<Record<string, number>>;
  /** Schedules that reached a rare state. */
  readonly sometimes: Readonly<Partial<Record<Sometimes, number>>>;
}

export const EMPTY_TALLY: Tally = {
  schedules: 0,
  effective: 0,
  ops: 0,
  accepted: 0,
  violated: {},
  sometimes: {},
};

/** `validity`, `belief`, `liveness`, `fifo`, `open`, `fenced`. */
export function propertyName({ property, fenced }: TargetProperty): string {
  if (property !== 'resource') return property;
  return fenced ? 'fenced' : 'open';
}

/** Counts runs one by one. */
export class TallyBuilder {
  #schedules = 0;
  #effective = 0;
  #ops = 0;
  #accepted = 0;
  readonly #violated = new Map<string, number>();
  readonly #sometimes = new Map<Sometimes, number>();

  get tally(): Tally {
    return {
      schedules: this.#schedules,
      effective: this.#effective,
      ops: this.#ops,
      accepted: this.#accepted,
      violated: Object.fromEntries(this.#violated),
      sometimes: Object.fromEntries(this.#sometimes),
    };
  }

  /** Judges a run by every property and returns its violations. */
  add(played: PlayResult): readonly Violation[] {
    const violations = violationsOf(played);
    this.#schedules++;
    if (played.effective) this.#effective++;
    this.#ops += played.ops;
    this.#accepted += played.accepted;
    for (const violation of violations) count(this.#violated, propertyName(violation));
    for (const state of played.sometimes) count(this.#sometimes, state);
    return violations;
  }
}

function count<T>(counts: Map<T, number>, what: T): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

export function addTallies(a: Tally, b: Tally): Tally {
  return {
    schedules: a.schedules + b.schedules,
    effective: a.effective + b.effective,
    ops: a.ops + b.ops,
    accepted: a.accepted + b.accepted,
    violated: sums(a.violated, b.violated),
    sometimes: sums(a.sometimes, b.sometimes),
  };
}

function sums(
  a: Readonly<Partial<Record<string, number>>>,
  b: Readonly<Partial<Record<string, number>>>,
): Record<string, number> {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries(Array.from(names, (name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}
