import type { Way } from './message.ts';

interface Cut {
  readonly fromUs: number;
  untilUs: number;
}

/** The way from one place to another, shared by all connections that use it. */
export class Road {
  readonly from: string;
  readonly to: string;
  readonly #counts: Record<Way, Map<string, number>> = {
    request: new Map(),
    reply: new Map(),
    push: new Map(),
  };
  readonly #cuts: Cut[] = [];
  #held: ((healedUs: number) => void)[] = [];

  constructor(from: string, to: string) {
    this.from = from;
    this.to = to;
  }

  /** Counts a message: how many of its kind there have been. */
  count(way: Way, label: string): number {
    const counts = this.#counts[way];
    const n = (counts.get(label) ?? 0) + 1;
    counts.set(label, n);
    return n;
  }

  /** Closes it; returns what opens it again. Cuts may overlap. */
  cut(atUs: number): (healUs: number) => void {
    const cut: Cut = { fromUs: atUs, untilUs: Number.POSITIVE_INFINITY };
    this.#cuts.push(cut);
    return (healUs) => {
      if (cut.untilUs !== Number.POSITIVE_INFINITY) return;
      cut.untilUs = healUs;
      this.#release(healUs);
    };
  }

  /** When what arrives at `atUs` gets through: then, at the end of the cuts it runs into, or not that anybody knows. */
  opensAt(atUs: number): number {
    let opensUs = atUs;
    for (const { fromUs, untilUs } of this.#cuts) {
      if (fromUs <= opensUs && opensUs < untilUs) opensUs = untilUs;
    }
    return opensUs;
  }

  /** Keeps something until the road is open again. */
  hold(run: (healedUs: number) => void): void {
    this.#held.push(run);
  }

  #release(healedUs: number): void {
    const held = this.#held;
    this.#held = [];
    for (const run of held) run(healedUs);
  }
}
