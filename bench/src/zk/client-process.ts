import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Batch, PairWorkload } from './pair-workload.ts';

export const CLIENTS = ['zk-client', 'zookeeper'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** One client in its process, which is asked for one batch at a time. */
export class ClientProcess {
  readonly name: ClientName;
  readonly #process: ChildProcess;
  readonly #ended: Promise<never>;

  private constructor(name: ClientName, process: ChildProcess) {
    this.name = name;
    this.#process = process;
    this.#ended = once(process, 'exit').then(([code, signal]: unknown[]) => {
      throw new Error(`the client's process ended: ${String(signal ?? code)}`);
    });
    // Of interest only while something is asked of it.
    this.#ended.catch(() => undefined);
  }

  static async start(name: ClientName, servers: string, sessionMs: number): Promise<ClientProcess> {
    const process = fork(
      new URL('./process.js', import.meta.url),
      [name, `${sessionMs}`, servers],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    );
    const entrant = new ClientProcess(name, process);
    await entrant.#nextMessage();
    return entrant;
  }

  async play(way: PairWorkload): Promise<Batch> {
    this.#process.send(way);
    const told = await this.#nextMessage();
    if (!isBatch(told)) throw new Error(`${this.name} told of no batch`);
    return told;
  }

  /** Tries until a node can be made again; when that was, on the clock that all processes share. */
  async recover(): Promise<number> {
    this.#process.send('recover');
    return Number(await this.#nextMessage());
  }

  async close(): Promise<void> {
    if (!this.#process.connected) return;
    this.#process.send('close');
    await this.#ended.catch(() => undefined);
  }

  async #nextMessage(): Promise<unknown> {
    const [message]: unknown[] = await Promise.race([once(this.#process, 'message'), this.#ended]);
    return message;
  }
}

function isBatch(told: unknown): told is Batch {
  return typeof told === 'object' && told !== null && 'rate' in told && 'cpuUs' in told;
}
