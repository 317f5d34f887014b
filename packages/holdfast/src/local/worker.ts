import type { ChildProcess } from 'node:child_process';
import { type ChildProcesses, hostMs } from '@holdfast/processes';
import type { FromWorker, Task, ToWorker } from './messages.ts';

interface Asked {
  readonly resolve: (figures: readonly number[]) => void;
  readonly reject: (error: Error) => void;
}

/** A process of clients, as the command sees it. */
export class Worker {
  readonly name: string;
  readonly logPath: string;
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, Asked>();
  readonly #inside = new Map<string, () => void>();
  #tasks = 0;

  constructor(
    processes: ChildProcesses,
    options: { readonly name: string; readonly logPath: string; readonly resourcePort: number },
  ) {
    this.name = options.name;
    this.logPath = options.logPath;
    const args = [options.name, options.logPath, `${options.resourcePort}`];
    this.#child = processes.fork(new URL('./worker-process.js', import.meta.url), args);
    this.#child.on('message', (message: FromWorker) => this.#heard(message));
    this.#child.once('exit', (code) => this.#ended(code));
  }

  /** Resolves to the figures asked for, if any; rejects when the worker fails at it, or ends by itself. */
  ask(task: Task): Promise<readonly number[]> {
    const id = ++this.#tasks;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#tell({ kind: 'task', id, task });
    });
  }

  /** Resolves when the lingering client of this key is in its section. To be called before the work is asked for. */
  inside(key: string): Promise<void> {
    return new Promise((resolve) => this.#inside.set(key, resolve));
  }

  proceed(key: string): void {
    this.#tell({ kind: 'proceed', key });
  }

  /** SIGSTOP; returns when, on the host's clock. */
  stop(): number {
    this.#child.kill('SIGSTOP');
    return hostMs();
  }

  /** SIGCONT. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** SIGKILL; returns when. What it was asked for counts as done, since nobody can wait for it any more. */
  kill(): number {
    this.#child.kill('SIGKILL');
    const atMs = hostMs();
    for (const { resolve } of this.#asked.values()) resolve([]);
    this.#asked.clear();
    return atMs;
  }

  #tell(message: ToWorker): void {
    // A child that has just died is noticed by its exit.
    this.#child.send(message, () => {});
  }

  #heard(message: FromWorker): void {
    if (message.kind === 'inside') {
      this.#inside.get(message.key)?.();
      return;
    }
    const asked = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (message.kind === 'done') asked?.resolve(message.figures);
    else asked?.reject(new Error(`process ${this.name}: ${message.message}`));
  }

  #ended(code: number | null): void {
    const error = new Error(`process ${this.name} ended with ${code ?? 'a signal'}`);
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }
}
