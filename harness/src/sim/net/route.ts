import type { MessageKind } from './message.ts';

/** Number of messages of one label that have gone one way. */
interface MessageCount {
  n: number;
}

interface Cut {
  readonly fromUs: number;
  untilUs: number;
}

/** The way from one place to another, shared by all connections that use it. */
export class Route {
  readonly from: string;
  readonly to: string;
  readonly #counts: Readonly<Record<MessageKind, Map<string, MessageCount>>> = {
    request: new Map(),
    reply: new Map(),
    push: new Map(),
  };
  readonly #cuts: Cut[] = [];
  #onOpen: (() => void)[] = [];

  constructor(from: string, to: string) {
    this.from = from;
    this.to = to;
  }

  /** Counts a message; returns how many of its kind there have been. */
  count(way: MessageKind, label: string): number {
    const counts = this.#counts[way];
    const count = counts.get(label);
    if (count !== undefined) return ++count.n;
    counts.set(label, { n: 1 });
    return 1;
  }

  /** True if the route was ever cut; one that never was needs no further checks. */
  get wasCut(): boolean {
    return this.#cuts.length > 0;
  }

  /** Cuts the route; returns a function that heals it. Cuts may overlap. */
  cut(atUs: number): (healUs: number) => void {
    const cut: Cut = { fromUs: atUs, untilUs: Number.POSITIVE_INFINITY };
    this.#cuts.push(cut);
    return (healUs) => {
      if (cut.untilUs !== Number.POSITIVE_INFINITY) return;
      cut.untilUs = healUs;
      this.#release();
    };
  }

  /**
   * Returns when a message that arrives at `atUs` gets through: then, or at the end of the cuts it runs into.
   * Infinity if a cut has no known end.
   */
  opensAt(atUs: number): number {
    let opensUs = atUs;
    for (const { fromUs, untilUs } of this.#cuts) {
      if (fromUs <= opensUs && opensUs < untilUs) opensUs = untilUs;
    }
    return opensUs;
  }

  /** Calls `run` at the end of a cut; another may still be in force. */
  onOpen(run: () => void): void {
    this.#onOpen.push(run);
  }

  #release(): void {
    const held = this.#onOpen;
    this.#onOpen = [];
    for (const run of held) run();
  }
}
