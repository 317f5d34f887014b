/** The point right before a call is made, or right after it has been sent. */
export type AnchorMoment = 'before' | 'after';

interface Anchor {
  readonly moment: AnchorMoment;
  readonly label: string;
  readonly run: () => void;
  left: number;
}

/**
 * Actions to run at the n-th call of a kind. The step between two awaits takes no virtual time. So a fault at a point
 * in time can never fall between a check and the effect that follows it. Nothing between two calls can be observed,
 * so a fault right before the second call stands for one anywhere between them.
 */
export class Anchors {
  #anchors: Anchor[] = [];

  get isEmpty(): boolean {
    return this.#anchors.length === 0;
  }

  add(moment: AnchorMoment, label: string, n: number, run: () => void): void {
    this.#anchors.push({ moment, label, run, left: n });
  }

  /** Counts a call, and runs the actions that were waiting for it. */
  passed(moment: AnchorMoment, label: string): void {
    if (this.#anchors.length === 0) return;
    const reached = this.#anchors.filter(
      (anchor) => anchor.moment === moment && anchor.label === label && --anchor.left === 0,
    );
    if (reached.length === 0) return;
    this.#anchors = this.#anchors.filter(({ left }) => left > 0);
    for (const { run } of reached) run();
  }
}
