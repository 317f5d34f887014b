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
import { ReportListeners } from './report-listeners.ts';

interface PendingTask {
  readonly resolve: (found: TaskResult) => void;
  readonly reject: (error: Error) => void;
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

/** A client, as the lab sees it: a process, or a command in a group of its own. */
export interface Client {
  readonly name: string;
  readonly clock: ShiftedClock | undefined;
  /** Rejects if it fails, or ends by itself. */
  readonly failure: Promise<never>;
  /** Runs a task. Rejects if the client fails at it, or ends by itself. */
  run(task: Task): Promise<readonly Sample[]>;
  measure(cost: Cost & { readonly locks: string }): Promise<readonly number[]>;
  /** Resolves at its next report of this kind, for `key` if given; earlier reports do not count. */
  nextReport(kind: ClientReport['kind'], key?: string): Promise<void>;
  proceed(key?: string): void;
  /** Blocks its event loop for `ms`; returns the start, on the host's clock. */
  block(ms: number): number;
  /** SIGSTOP; returns the time, on the host's clock. */
  stop(): number;
  /** SIGCONT. */
  resume(): void;
  /** SIGKILL; returns the time. Pending tasks resolve, because no reply to them can arrive any more. */
  kill(): number;
  /** Rejects all pending and later tasks. */
  fail(error: Error): void;
}

/** A client process, which opens locks of our own. */
export class ForkedClient implements Client {
  readonly name: string;
  readonly clock: ShiftedClock | undefined;
  readonly failure: Promise<never>;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, PendingTask>();
  readonly #listeners = new ReportListeners();
  #rejectFailure: (error: Error) => void = () => undefined;
  #tasks = 0;
  #isKilled = false;
  #failure: Error | undefined;

  constructor(processes: ChildProcesses, parts: ClientParts) {
    const { entry, name, logPath, resourcePort, clock } = parts;
    this.name = name;
    this.clock = clock;
    this.failure = new Promise<never>((_, reject) => (this.#rejectFailure = reject));
    this.failure.catch(() => undefined);
    this.#child = processes.fork(entry, [name, logPath, `${resourcePort}`], clock?.variables);
    this.#child.on('message', (message: FromClient) => this.#receive(message));
    this.#child.once('exit', (code) =>
      this.fail(new Error(`process ${name} ended with ${code ?? 'a signal'}`)),
    );
  }

  async run(task: Task): Promise<readonly Sample[]> {
    return (await this.#request(task)).samples ?? [];
  }

  async measure(cost: Cost & { readonly locks: string }): Promise<readonly number[]> {
    return (await this.#request(cost)).figures ?? [];
  }

  nextReport(kind: ClientReport['kind'], key?: string): Promise<void> {
    return this.#listeners.next(kind, key);
  }

  proceed(key?: string): void {
    this.#send({ kind: 'proceed', key });
  }

  block(ms: number): number {
    this.#send({ kind: 'block', ms });
    return hostMs();
  }

  stop(): number {
    this.#child.kill('SIGSTOP');
    return hostMs();
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  kill(): number {
    this.#isKilled = true;
    this.#child.kill('SIGKILL');
    const atMs = hostMs();
    for (const { resolve } of this.#pending.values()) resolve({});
    this.#pending.clear();
    return atMs;
  }

  fail(error: Error): void {
    this.#failure ??= error;
    if (!this.#isKilled) this.#rejectFailure(error);
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
    this.#listeners.report(message.kind, message.key);
  }

  #settle(message: Exclude<FromClient, ClientReport>): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'done') pending?.resolve(message.found);
    else pending?.reject(new Error(`process ${this.name}: ${message.message}`));
  }
}
