import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { WAYS, type Way } from './pairs.ts';

export const CLIENTS = ['zk-client', 'zookeeper'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** One client in its process, which is asked for one batch at a time. */
export class Entrant {
  readonly #process: ChildProcess;
  readonly rates = new Map<Way, number[]>(WAYS.map((way) => [way, []]));

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  static async start(name: ClientName, servers: string, sessionMs: number): Promise<Entrant> {
    const entrant = new Entrant(
      fork(new URL('./process.js', import.meta.url), [name, `${sessionMs}`, servers], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    );
    await entrant.#hears();
    return entrant;
  }

  async play(way: Way, counts: boolean): Promise<void> {
    this.#process.send(way);
    const rate = await this.#hears();
    if (counts) this.rates.get(way)?.push(Number(rate));
  }

  /** Tries until a node can be made again; when that was, on the clock that all processes share. */
  async recover(): Promise<number> {
    this.#process.send('recover');
    return Number(await this.#hears());
  }

  async close(): Promise<void> {
    if (!this.#process.connected) return;
    const ended = once(this.#process, 'exit');
    this.#process.send('close');
    await ended;
  }

  async #hears(): Promise<unknown> {
    const ended = once(this.#process, 'exit').then(([code, signal]: unknown[]) => {
      throw new Error(`the client's process ended: ${String(signal ?? code)}`);
    });
    const [message]: unknown[] = await Promise.race([once(this.#process, 'message'), ended]);
    return message;
  }
}
