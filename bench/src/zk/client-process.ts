import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Batch, PairWorkload } from './pair-workload.ts';

export const CLIENTS = ['zk-client', 'zookeeper'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** One client in its own process; it runs one batch at a time. */
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
    // Handled by `#nextMessage`; without a pending request the end does not matter.
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
    const client = new ClientProcess(name, process);
    await client.#nextMessage();
    return client;
  }

  async play(way: PairWorkload): Promise<Batch> {
    this.#process.send(way);
    const message = await this.#nextMessage();
    if (!isBatch(message)) throw new Error(`${this.name} reported no batch`);
    return message;
  }

  /** Creates nodes until one succeeds; resolves to that time, on the clock that all processes share. */
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

function isBatch(message: unknown): message is Batch {
  return typeof message === 'object' && message !== null && 'rate' in message && 'cpuUs' in message;
}
