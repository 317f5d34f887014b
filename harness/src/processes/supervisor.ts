import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The end of a process: by itself, or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that ends with this one. */
export interface Supervised {
  readonly pid: number;
  /** Undefined while it runs. */
  readonly exit: Exit | undefined;
  /** Resolves once it has exited and its ports are free. */
  readonly gone: Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
}

export interface StartRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** Its working directory. */
  readonly folder: string;
  /** A file for its output. */
  readonly log: string;
}

type SupervisorMessage =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly failed: string }
  | ({ readonly exited: number } & Exit);

/** A process that the supervisor started, as seen from here. */
class SupervisedProcess implements Supervised {
  readonly pid: number;
  readonly gone: Promise<Exit>;
  exit: Exit | undefined;
  ended: (exit: Exit) => void = () => undefined;

  constructor(pid: number) {
    this.pid = pid;
    this.gone = new Promise((done) => {
      this.ended = (exit) => {
        this.exit ??= exit;
        done(exit);
      };
    });
  }

  kill(signal: NodeJS.Signals): void {
    if (this.exit !== undefined) return;
    try {
      process.kill(this.pid, signal);
    } catch {
      // It has exited, and the message has not arrived yet.
    }
  }
}

/**
 * Another process, which starts servers for this one and ends them when this one has ended, even by kill -9. It is
 * their parent, so a server is never without a process that would end it.
 */
export class Supervisor {
  static #instance: Supervisor | undefined;
  readonly #process: ChildProcess;
  readonly #running = new Map<number, SupervisedProcess>();
  readonly #pending = new Map<
    number,
    { done: (supervised: SupervisedProcess) => void; fail: (error: Error) => void }
  >();
  #requests = 0;
  #awaited = 0;

  private constructor() {
    const own = createRequire(import.meta.url).resolve('@holdfast/harness/package.json');
    this.#process = fork(join(dirname(own), 'bin/supervisor.cjs'), ['of', `${process.pid}`], {
      // Out of reach of a Ctrl-C, which is sent to all processes of a terminal.
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    this.#process.on('message', (message: SupervisorMessage) => this.#receive(message));
    this.#process.once('exit', () => this.#lost());
    this.#process.unref();
    this.#process.channel?.unref();
  }

  /** The supervisor of this process. */
  static get(): Supervisor {
    Supervisor.#instance ??= new Supervisor();
    return Supervisor.#instance;
  }

  /** Creates a folder that is removed when this process has ended. */
  folder(prefix: string): string {
    const folder = join(tmpdir(), `${prefix}${randomUUID()}`);
    // First, so that the folder is removed even if this process is killed in between.
    this.#send({ kind: 'keep', folder });
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }

  /** Removes a folder in which no process runs any more. */
  remove(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
    this.#send({ kind: 'forget', folder });
  }

  /** Ends this child when this process has ended: a paused child would not end by itself. */
  watch(child: ChildProcess): void {
    const { pid } = child;
    if (pid === undefined) return;
    this.#send({ kind: 'watch', pid });
    child.once('exit', () => this.#send({ kind: 'unwatch', pid }));
  }

  /** As {@link watch}, and all processes of the group that it leads, also if it ended before them. */
  watchGroup(child: ChildProcess): void {
    const { pid } = child;
    if (pid !== undefined) this.#send({ kind: 'watch', pid: -pid });
  }

  /** Stops watching a group that has been ended. */
  unwatchGroup(child: ChildProcess): void {
    const { pid } = child;
    if (pid !== undefined) this.#send({ kind: 'unwatch', pid: -pid });
  }

  /** Resolves once it runs. Rejects if the command cannot be run. */
  start(request: StartRequest): Promise<Supervised> {
    const id = ++this.#requests;
    const started = new Promise<SupervisedProcess>((done, fail) =>
      this.#pending.set(id, { done, fail }),
    );
    this.#send({ kind: 'start', id, ...request });
    return this.waitFor(started);
  }

  /** Keeps this process alive until the promise settles, which only a message of the supervisor can do. */
  async waitFor<T>(what: Promise<T>): Promise<T> {
    if (this.#awaited++ === 0) this.#process.channel?.ref();
    try {
      return await what;
    } finally {
      if (--this.#awaited === 0) this.#process.channel?.unref();
    }
  }

  #send(request: object): void {
    this.#process.send(request, () => undefined);
  }

  #receive(message: SupervisorMessage): void {
    if ('exited' in message) {
      this.#running.get(message.exited)?.ended({ code: message.code, signal: message.signal });
      this.#running.delete(message.exited);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ('failed' in message) return pending?.fail(new Error(message.failed));
    const supervised = new SupervisedProcess(message.pid);
    this.#running.set(message.pid, supervised);
    pending?.done(supervised);
  }

  /** The supervisor was killed, so it cannot end the processes that it started: they are ended here. */
  #lost(): void {
    if (Supervisor.#instance === this) Supervisor.#instance = undefined;
    const error = new Error('the supervisor of the servers was killed');
    for (const { fail } of this.#pending.values()) fail(error);
    for (const supervised of this.#running.values()) {
      supervised.kill('SIGKILL');
      supervised.ended({ code: null, signal: 'SIGKILL' });
    }
  }
}
