import type { Config } from 'holdfast';
import { vi } from 'vitest';
import { Child } from '../support/child.ts';

/** What the processes of a roll did. */
export interface Counted {
  readonly entered: number;
  readonly violations: readonly string[];
  /** The fencing epochs of the tokens, in the order in which they came up. */
  readonly epochs: readonly number[];
}

/** Processes that work under one lock and are rolled one by one; the resource, in this process, judges them. */
export class Rolled {
  readonly #key: string;
  #children: Child[] = [];
  readonly #inside = new Set<string>();
  readonly #violations: string[] = [];
  readonly #epochs: number[] = [];
  #entered = 0;
  #largest = -1n;

  private constructor(key: string) {
    this.#key = key;
  }

  static async start(count: number, key: string, config: Config): Promise<Rolled> {
    const crew = new Rolled(key);
    const names = Array.from({ length: count }, (_, i) => i);
    crew.#children = await Promise.all(names.map((i) => crew.#startOne(i, config)));
    return crew;
  }

  /** Replaces every process by one with this configuration, one after the other, while the others work. */
  async rollTo(config: Config): Promise<void> {
    for (const [i, child] of this.#children.entries()) {
      this.#children[i] = await this.#startOne(i, config);
      await this.#end(child);
    }
    await this.worked();
  }

  /** Resolves when some more turns have been taken. */
  async worked(): Promise<void> {
    const from = this.#entered;
    await vi.waitUntil(() => this.#entered >= from + 2 * this.#children.length, {
      timeout: 20_000,
      interval: 5,
    });
  }

  async end(): Promise<Counted> {
    await Promise.all(this.#children.map((child) => this.#end(child)));
    return { entered: this.#entered, violations: this.#violations, epochs: this.#epochs };
  }

  #startOne(i: number, config: Config): Promise<Child> {
    return Child.start('servers/moving-process.ts', {
      args: [JSON.stringify(config), this.#key, `process ${i}`],
      serve: {
        enter: async (who = '', token = '0') => this.#enter(who, BigInt(token)),
        leave: async (who = '') => this.#inside.delete(who),
      },
    });
  }

  async #end(child: Child): Promise<void> {
    child.send('end');
    const { code, errors } = await child.ended;
    if (code !== 0) this.#violations.push(`a process ended with ${code}: ${errors}`);
  }

  #enter(who: string, token: bigint): void {
    this.#entered += 1;
    const epoch = Number(token >> 53n);
    if (!this.#epochs.includes(epoch)) this.#epochs.push(epoch);
    if (this.#inside.size > 0)
      this.#violations.push(`${who} is inside beside ${[...this.#inside].join()}`);
    if (token <= this.#largest) this.#violations.push(`${who} has ${token} after ${this.#largest}`);
    this.#inside.add(who);
    this.#largest = token;
  }
}
