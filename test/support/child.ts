import { type ChildProcess, fork } from 'node:child_process';
import { bundle, type Mutation } from './bundle.ts';

/** Calls that children may make to the test, by name. Results are sent as JSON. */
export type ServedCalls = Readonly<
  Record<string, (...args: readonly string[]) => Promise<unknown>>
>;

export interface ChildOptions {
  readonly args?: readonly string[];
  readonly serve?: ServedCalls;
  readonly mutation?: Mutation | undefined;
}

/** The end of a process: a native abort has a signal. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Its output on the error stream. */
  readonly errors: string;
}

interface ChildRequest {
  readonly ask: string;
  readonly id: number;
  readonly args: readonly string[];
}

function isAsk(message: unknown): message is ChildRequest {
  return typeof message === 'object' && message !== null && 'ask' in message;
}

/** A module of the tests in a process of its own, of which it may die without taking the test along. */
export class Child {
  readonly #process: ChildProcess;
  readonly #serve: ServedCalls;
  readonly #listeners = new Set<(message: unknown) => void>();
  readonly #dieWithUs = (): void => this.kill();
  readonly received: unknown[] = [];
  readonly ended: Promise<ProcessEnd>;

  private constructor(script: string, { args = [], serve = {} }: ChildOptions) {
    this.#serve = serve;
    this.#process = fork(script, [...args], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Flags of the test runner are not its own.
      execArgv: ['--enable-source-maps'],
    });
    let errors = '';
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
    this.#process.on('message', (message) => this.#receive(message));
    this.ended = new Promise((done) => {
      this.#process.once('close', (code, signal) => {
        process.off('exit', this.#dieWithUs);
        done({ code, signal, errors });
      });
    });
    process.on('exit', this.#dieWithUs);
  }

  /** @param module below `test/` */
  static async start(module: string, options: ChildOptions = {}): Promise<Child> {
    return new Child(await bundle(module, options.mutation), options);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  send(message: string): void {
    if (this.#process.connected) this.#process.send(message);
  }

  /** Returns its removal. */
  onMessage(listener: (message: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when the child sends this word; rejects if it ends, or reports a failure, without having sent it. */
  async waitFor(word: string): Promise<void> {
    if (this.received.includes(word)) return;
    const received = new Promise<'received'>((done, fail) =>
      this.onMessage((message) => {
        if (message === word) done('received');
        else if (typeof message === 'string' && message.startsWith('failed'))
          fail(new Error(message));
      }),
    );
    const end = await Promise.race([received, this.ended]);
    if (end !== 'received')
      throw new Error(`it ended (${end.signal ?? end.code}) before ${word}: ${end.errors}`);
  }

  /** SIGKILL, which reaches a stopped process too. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }

  #receive(message: unknown): void {
    if (isAsk(message)) return void this.#serveCall(message);
    this.received.push(message);
    for (const listener of this.#listeners) listener(message);
  }

  async #serveCall({ ask, id, args }: ChildRequest): Promise<void> {
    const result = await this.#serve[ask]?.(...args);
    // One that is killed meanwhile needs no answer: the callback takes the error.
    if (this.#process.connected)
      this.#process.send({ id, answer: result ?? null }, () => undefined);
  }
}
