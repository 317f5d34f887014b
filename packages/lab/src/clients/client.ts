import { type ChildProcess, fork } from 'node:child_process';
import { hostMs } from '../clock.ts';
import type { Plant } from '../plant.ts';
import type { ShiftedClock } from '../servers/clock-shim.ts';
import type { FromClient, Sample, Task, ToClient } from './messages.ts';

interface Asked {
  readonly resolve: (samples: readonly Sample[]) => void;
  readonly reject: (error: Error) => void;
}

type Sign = Exclude<FromClient, { readonly id: number }>['kind'];

/** A process of clients, as the laboratory sees it. */
export class Client {
  readonly name: string;
  readonly clock: ShiftedClock | undefined;
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, Asked>();
  #listening: { readonly sign: Sign; readonly heard: () => void }[] = [];
  #tasks = 0;

  constructor(
    plant: Plant,
    options: {
      readonly name: string;
      readonly logPath: string;
      readonly resourcePort: number;
      /** What shifts its clocks. */
      readonly clock?: ShiftedClock | undefined;
    },
  ) {
    this.name = options.name;
    this.clock = options.clock;
    const entry = new URL('./client-process.js', import.meta.url);
    this.#child = fork(entry, [options.name, options.logPath, `${options.resourcePort}`], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Flags of this process, such as those of a test runner, are not theirs.
      execArgv: [],
      // Certificates may be bytes.
      serialization: 'advanced',
      env: { ...process.env, ...options.clock?.variables },
    });
    plant.watch(this.#child);
    this.#child.on('message', (message: FromClient) => this.#heard(message));
    this.#child.once('exit', (code) => this.#ended(code));
  }

  /** Rejects when the client fails at it, or ends by itself. */
  ask(task: Task): Promise<readonly Sample[]> {
    const id = ++this.#tasks;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#tell({ kind: 'task', id, task });
    });
  }

  /** Resolves when it says so next; what it said before does not count. */
  says(sign: Sign): Promise<void> {
    return new Promise((heard) => this.#listening.push({ sign, heard }));
  }

  proceed(): void {
    this.#tell({ kind: 'proceed' });
  }

  /** Its event loop stands still for so long; returns from when, on the host's clock. */
  block(ms: number): number {
    this.#tell({ kind: 'block', ms });
    return hostMs();
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

  #tell(message: ToClient): void {
    // A child that has just died is noticed by its exit.
    this.#child.send(message, () => {});
  }

  #heard(message: FromClient): void {
    if (message.kind === 'done' || message.kind === 'failed') return this.#answered(message);
    const { kind } = message;
    const hearing = this.#listening.filter(({ sign }) => sign === kind);
    this.#listening = this.#listening.filter(({ sign }) => sign !== kind);
    for (const { heard } of hearing) heard();
  }

  #answered(message: Extract<FromClient, { readonly id: number }>): void {
    const asked = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (message.kind === 'done') asked?.resolve(message.samples);
    else asked?.reject(new Error(`process ${this.name}: ${message.message}`));
  }

  #ended(code: number | null): void {
    const error = new Error(`process ${this.name} ended with ${code ?? 'a signal'}`);
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }
}
