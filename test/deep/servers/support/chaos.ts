import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '../../../../harness/test/kit/real-servers.ts';

/** One thing that was done to the server. */
export interface Injection {
  readonly kind: 'stop' | 'restart-empty';
  readonly atMs: number;
  readonly untilMs: number;
}

/** Stops, continues, kills and restarts a server at random until `end` is called; leaves it running. */
export class Chaos {
  readonly injections: Injection[] = [];
  readonly #server: RedisServer;
  readonly #random: () => number;
  #ending = false;

  constructor(server: RedisServer, random: () => number) {
    this.#server = server;
    this.#random = random;
  }

  end(): void {
    this.#ending = true;
  }

  async run(): Promise<void> {
    while (!this.#ending) {
      await sleep(this.#between(300, 3_000));
      if (this.#random() < 0.5) await this.#stop();
      else await this.#restart();
    }
  }

  async #stop(): Promise<void> {
    const atMs = performance.now();
    this.#server.stop();
    await sleep(this.#between(50, 2_500));
    this.#server.resume();
    this.injections.push({ kind: 'stop', atMs, untilMs: performance.now() });
  }

  /** Replies that the dead server still sent are read before the new one starts, so that no grant is taken for a later one's. */
  async #restart(): Promise<void> {
    const atMs = performance.now();
    this.#server.kill();
    await sleep(this.#between(200, 1_500));
    this.injections.push({ kind: 'restart-empty', atMs, untilMs: performance.now() });
    await this.#server.restart();
  }

  #between(min: number, max: number): number {
    return min + this.#random() * (max - min);
  }
}
