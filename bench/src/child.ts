import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process that answers each message with one message; its first says that it is ready. */
export class Child {
  readonly #process: ChildProcess;
  readonly #ended: Promise<never>;

  private constructor(name: string, process: ChildProcess) {
    this.#process = process;
    this.#ended = once(process, 'exit').then(([code, signal]: unknown[]) => {
      throw new Error(`the process ${name} ended: ${String(signal ?? code)}`);
    });
    // Without a pending request the end does not matter.
    this.#ended.catch(() => undefined);
  }

  /** Starts a file of this folder. */
  static async start(
    file: string,
    args: readonly string[],
    execArgv: readonly string[] = [],
  ): Promise<Child> {
    const process = fork(new URL(file, import.meta.url), args, {
      execArgv: [...execArgv],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const child = new Child(file, process);
    await child.#next();
    return child;
  }

  async ask(message: object): Promise<unknown> {
    this.#process.send(message);
    return await this.#next();
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.disconnect();
    await exited;
  }

  async #next(): Promise<unknown> {
    const [message]: unknown[] = await Promise.race([once(this.#process, 'message'), this.#ended]);
    return message;
  }
}

/** The other side: answers every message, and ends when its parent is gone. */
export function answer(reply: (message: unknown) => Promise<unknown>): void {
  process.on('message', (message) => {
    void reply(message).then((answered) => process.send?.(answered));
  });
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}
