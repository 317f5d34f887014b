import type { HistoryEvent } from '@holdfast/core/backend';
import { hostMs } from '../../../../../harness/test/kit/real-servers.ts';
import { explanationOf, type LoggedInjection } from './injection.ts';
import { SoakJudge, type Violation } from './judge.ts';
import type { Arm, Usage } from './orders.ts';
import type { Topology } from './topology.ts';

/** A measurement, on the clock of the histories. */
export type At<T> = T & { readonly atMs: number };

/** A violation, in which arm, and the injection that explains it. */
export interface JudgedViolation extends Violation {
  readonly arm: Arm;
  readonly explainedBy: LoggedInjection | undefined;
}

export interface Records {
  readonly violations: readonly JudgedViolation[];
  /** Reasons why histories could not be judged. */
  readonly flaws: readonly string[];
  /** When the first second of `grants` began. */
  readonly grantsFromMs: number;
  /** The grants of each second of each arm. */
  readonly grants: Readonly<Record<Arm, readonly number[]>>;
  /** Counts of calls that were not granted, by code. */
  readonly denied: Readonly<Record<Arm, Readonly<Record<string, number>>>>;
  readonly usage: readonly At<Usage>[];
  /** Keys on all masters. */
  readonly keys: readonly At<{ readonly all: number }>[];
}

/** Counts and judges what clients report while they run. */
export class Recorder {
  readonly #judge = new SoakJudge();
  readonly #grants: Record<Arm, number[]> = { all: [], none: [] };
  readonly #denied: Record<Arm, Record<string, number>> = { all: {}, none: {} };
  readonly #usage: At<Usage>[] = [];
  readonly #keys: At<{ readonly all: number }>[] = [];
  readonly #fromMs = hostMs();

  addEvents(events: readonly HistoryEvent[]): void {
    this.#judge.add(events);
    for (const event of events) {
      const arm = armOf(event.key);
      if (event.type === 'denied') {
        this.#denied[arm][event.reason] = (this.#denied[arm][event.reason] ?? 0) + 1;
      } else if (event.type === 'granted') {
        this.#countGrant(this.#grants[arm], event.atMs);
      }
    }
  }

  #countGrant(grants: number[], atMs: number): void {
    const second = Math.max(0, Math.floor((atMs - this.#fromMs) / 1_000));
    while (grants.length <= second) grants.push(0);
    grants[second] = (grants[second] ?? 0) + 1;
  }

  addUsage(usage: Usage): void {
    this.#usage.push({ ...usage, atMs: hostMs() });
  }

  /** Judges what is old enough, and counts keys. */
  async look(topology: Topology): Promise<void> {
    this.#judge.judge(hostMs());
    // A master that is down or paused does not answer.
    const keys = await topology.keys().catch(() => undefined);
    if (keys !== undefined) this.#keys.push({ all: keys.all, atMs: hostMs() });
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
      grantsFromMs: this.#fromMs,
      grants: this.#grants,
      denied: this.#denied,
      usage: this.#usage,
      keys: this.#keys,
    };
  }
}

function armOf(key: string): Arm {
  return key.startsWith('all/') ? 'all' : 'none';
}
