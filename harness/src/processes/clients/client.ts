import type { ChildProcess } from 'node:child_process';
import type { ChildProcesses } from '../child-processes.ts';
import { hostMs } from '../clock.ts';
import type { ShiftedClock } from '../clock-shim.ts';
import type {
  ClientReport,
  Cost,
  FromClient,
  Sample,
  Task,
  TaskResult,
  ToClient,
} from './messages.ts';

interface PendingTask {
  readonly resolve: (found: TaskResult) => void;
  readonly reject: (error: Error) => void;
}

interface ReportListener {
  readonly kind: ClientReport['kind'];
  readonly key: string | undefined;
  readonly resolve: () => void;
}

export interface ClientParts {
  /** The program that it runs. */
  readonly entry: URL;
  readonly name: string;
  readonly logPath: string;
  readonly resourcePort: number;
  /** Shifts its clocks. */
  readonly clock?: ShiftedClock | undefined;
}

/** A client process, as the lab sees it. */
export class Client {
  readonly name: string;
  readonly clock: ShiftedClock | undefined;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, PendingTask>();
  #listeners: readonly ReportListener[] = [];
  #tasks = 0;
  #failure: Error | undefined;

  constructor(processes: ChildProcesses, parts: ClientParts) {
    const { entry, name, logPath, resourcePort, clock } = parts;
    this.name = name;
    this.clock = clock;
    this.#child = processes.fork(entry, [name, logPath, `${resourcePort}`], clock?.variables);
    this.#child.on('message', (message: FromClient) => this.#receive(message));
    this.#child.once('exit', (code) =>
      this.fail(new Error(`process ${name} ended with ${code ?? 'a signal'}`)),
    );
  }

  /** Runs a task. Rejects if the client fails at it, or ends by itself. */
  async run(task: Task): Promise<readonly Sample[]> {
    return (await this.#request(task)).samples ?? [];
  }

  async measure(cost: Cost & { readonly locks: string }): Promise<readonly number[]> {
    return (await this.#request(cost)).figures ?? [];
  }

  /** Resolves at its next report of this kind, for `key` if given; earlier reports do not count. */
  nextReport(kind: ClientReport['kind'], key?: string): Promise<void> {
    return new Promise((resolve) => {
      this.#listeners = [...this.#listeners, { kind, key, resolve }];
    });
  }

  proceed(key?: string): void {
    this.#send({ kind: 'proceed', key });
  }

  /** Blocks its event loop for `ms`; returns the start, on the host's clock. */
  block(ms: number): number {
    this.#send({ kind: 'block', ms });
    return hostMs();
  }

  /** SIGSTOP; returns the time, on the host's clock. */
  stop(): number {
    this.#child.kill('SIGSTOP');
    return hostMs();
  }

  /** SIGCONT. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** SIGKILL; returns the time. Pending tasks resolve, because no reply to them can arrive any more. */
  kill(): number {
    this.#child.kill('SIGKILL');
    const atMs = hostMs();
    for (const { resolve } of this.#pending.values()) resolve({});
    this.#pending.clear();
    return atMs;
  }

  /** Rejects all pending and later tasks. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #request(task: Task): Promise<TaskResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = ++this.#tasks;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ kind: 'task', id, task });
    });
  }

  #send(message: ToClient): void {
    // A child that has just died is noticed by its exit.
    this.#child.send(message, () => {});
  }

  #receive(message: FromClient): void {
    if (message.kind === 'done' || message.kind === 'failed') return this.#settle(message);
    const { kind, key } = message;
    const matches = (each: ReportListener): boolean =>
      each.kind === kind && (each.key === undefined || each.key === key);
    const matching = this.#listeners.filter(matches);
    this.#listeners = this.#listeners.filter((each) => !matches(each));
    for (const { resolve } of matching) resolve();
  }

  #settle(message: Exclude<FromClient, ClientReport>): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'done') pending?.resolve(message.found);
    else pending?.reject(new Error(`process ${this.name}: ${message.message}`));
  }
}
