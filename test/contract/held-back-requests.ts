import type { Runtime } from '@holdfast/core';
import type { Named, Network, World } from '@holdfast/harness/simulator';

/** Longer than any check takes until it lets held-back requests through. */
const LATE_MS = 60_000;
const ARRIVED_MS = 100;

/**
 * Holds back what a process sends to some servers on its existing connections; new ones pass. All of it arrives at one
 * time, which {@link letThrough} waits for: the arrival of a message cannot be set after it is sent.
 */
export class HeldBackRequests {
  readonly #world: World;
  readonly #network: Network;
  #atMs = 0;
  #pass: () => void = () => undefined;

  constructor(world: World, network: Network) {
    this.#world = world;
    this.#network = network;
  }

  holdBack(process: string, from: readonly Named[]): void {
    const old = new Set(from.map(({ name }) => name));
    this.#atMs = this.#world.nowMs + LATE_MS;
    this.#pass = this.#network.rule(({ from: sender, to, way, label }) => {
      if (sender !== process || way !== 'request' || !old.has(to)) return 'pass';
      // The process has abandoned its connection: from here on, later requests overtake those on it.
      if (label === 'connect') old.delete(to);
      return old.has(to) ? { delayMs: this.#atMs - this.#world.nowMs } : 'pass';
    });
  }

  async letThrough(judge: Runtime): Promise<void> {
    const waitMs = Math.max(0, this.#atMs - this.#world.nowMs) + ARRIVED_MS;
    await new Promise<void>((resume) => {
      judge.timer(waitMs, resume, { awaited: true });
    });
    this.#pass();
  }
}
