import type { HistoryEvent } from '@holdfast/core/backend';
import { hostMs } from '../../../../../harness/test/kit/real-servers.ts';
import { explanationOf, type LoggedInjection } from './injection.ts';
import { SoakJudge, type Violation } from './judge.ts';
import type { Arm, Usage } from './orders.ts';
import type { Keys, Topology } from './topology.ts';

/** A measurement, on the clock of the histories. */
export type At<T> = T & { readonly atMs: number };

/** A violation, in which arm, and the injection that explains it. */
export interface JudgedViolation extends Violation {
  readonly arm: Arm;
  readonly explainedBy: LoggedInjection | undefined;
}

/** Counts of each second, by outcome. A second without calls may be missing at the end. */
export type Outcomes = Readonly<Record<string, readonly number[]>>;

export interface Records {
  readonly violations: readonly JudgedViolation[];
  /** Reasons why histories could not be judged. */
  readonly flaws: readonly string[];
  /** When the first of the seconds began. */
  readonly secondsFromMs: number;
  /** What calls of each arm came to in each second: `granted`, or the code of an error. */
  readonly outcomes: Readonly<Record<Arm, Outcomes>>;
  readonly usage: readonly At<Usage>[];
  readonly keys: readonly At<Keys>[];
}

/** Counts and judges what clients report while they run. */
export class Recorder {
  readonly #judge = new SoakJudge();
  readonly #outcomes: Record<Arm, Record<string, number[]>> = { all: {}, none: {} };
  readonly #usage: At<Usage>[] = [];
  readonly #keys: At<Keys>[] = [];
  readonly #fromMs = hostMs();

  addEvents(events: readonly HistoryEvent[]): void {
    this.#judge.add(events);
    for (const event of events) {
      if (event.type === 'denied') this.#count(event, event.reason);
      else if (event.type === 'granted') this.#count(event, 'granted');
    }
  }

  #count({ key, atMs }: HistoryEvent, outcome: string): void {
    const counts = (this.#outcomes[armOf(key)][outcome] ??= []);
    const second = Math.max(0, Math.floor((atMs - this.#fromMs) / 1_000));
    while (counts.length <= second) counts.push(0);
    counts[second] = (counts[second] ?? 0) + 1;
  }

  addUsage(usage: Usage): void {
    this.#usage.push({ ...usage, atMs: hostMs() });
  }

  /** Judges what is old enough, and counts keys. */
  async look(topology: Topology): Promise<void> {
    this.#judge.judge(hostMs());
    // A master that is down or paused does not answer.
    const keys = await topology.keys().catch(() => undefined);
    if (keys !== undefined) this.#keys.push({ ...keys, atMs: hostMs() });
  }

  end(log: readonly LoggedInjection[], ttlMs: number): Records {
    this.#judge.end();
    const violations = this.#judge.violations.map((each) => ({
      ...each,
      arm: armOf(each.key),
      explainedBy: explanationOf(each, log, ttlMs),
    }));
    return {
      violations,
      flaws: this.#judge.flaws,
      secondsFromMs: this.#fromMs,
      outcomes: this.#outcomes,
      usage: this.#usage,
      keys: this.#keys,
    };
  }
}

function armOf(key: string): Arm {
  return key.startsWith('all/') ? 'all' : 'none';
}
