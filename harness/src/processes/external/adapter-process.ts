import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Supervisor } from '../supervisor.ts';
import {
  type Greeting,
  isReady,
  PROTOCOL,
  parsed,
  type Ready,
  type Reply,
  type Request,
  readyOf,
  replyOf,
} from './protocol.ts';

/** How long an adapter may take, in ms. */
export interface AdapterLimits {
  readonly startMs: number;
  /** Beyond what a request itself may take. */
  readonly replyMs: number;
  readonly endMs: number;
}

/** A JVM may take seconds to start, and a library seconds to notice that a server is gone. */
export const ADAPTER_LIMITS: AdapterLimits = { startMs: 20_000, replyMs: 20_000, endMs: 1_000 };

/** The time in which the last errors of a process arrive, in ms. */
const LAST_WORDS_MS = 200;
/** More than any runtime prints of its own, in characters; a reply is shorter, too. */
const NOISE_MAX = 65_536;
/** Shown of its errors and of lines that are no replies. */
const SHOWN = 400;

/** The adapter broke the rules of docs/testing/external.md, or has ended; the message says how. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
}

interface Open {
  readonly what: string;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export interface AdapterParts {
  readonly command: string;
  readonly greeting: Omit<Greeting, 'protocol'>;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly limits?: AdapterLimits;
  /** Called once, if it breaks a rule or ends by itself. */
  readonly failed: (error: AdapterError) => void;
}

/**
 * One adapter: a command in a process group of its own, steered by JSON lines. The first rule that it breaks ends the
 * whole group.
 */
export class AdapterProcess {
  readonly #parts: AdapterParts;
  readonly #limits: AdapterLimits;
  readonly #child: ChildProcess;
  readonly #open = new Map<number, Open>();
  readonly #exited: Promise<void>;
  #requests = 0;
  #rest = '';
  /** Characters of lines that are not meant for us. */
  #noise = 0;
  #errors = '';
  #isReady = false;
  #admit: (ready: Ready) => void = () => undefined;
  #refuse: (error: Error) => void = () => undefined;
  #failure: AdapterError | undefined;

  private constructor(parts: AdapterParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? ADAPTER_LIMITS;
    const child = spawn(parts.command, {
      shell: true,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...parts.variables },
    });
    this.#child = child;
    Supervisor.get().watchGroup(child);
    child.once('error', ({ message }) => this.#fail(`could not be started: ${message}`));
    this.#exited = new Promise((done) => child.once('close', () => done()));
    const ended = (code: number | null, signal: NodeJS.Signals | null): void =>
      this.#fail(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
    child.once('close', ended);
    // Another process of its group may keep its output open.
    child.once('exit', (code, signal) => setTimeout(() => ended(code, signal), LAST_WORDS_MS));
    // It may end before it reads a line; its end is noticed above.
    child.stdin.on('error', () => undefined);
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-SHOWN);
    });
  }

  /**
   * Starts the command, and resolves once it is ready.
   * @throws AdapterError if it does not become ready in time, or speaks another version
   */
  static async start(parts: AdapterParts): Promise<{ adapter: AdapterProcess; ready: Ready }> {
    const adapter = new AdapterProcess(parts);
    const ready = await adapter.#greet();
    return { adapter, ready };
  }

  /** @throws AdapterError if it breaks a rule before it has replied, or does not reply in time */
  request(request: Request): Promise<Reply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = ++this.#requests;
    const limitMs = this.#limits.replyMs + (request.do === 'acquire' ? request.waitMs : 0);
    const what = `${request.do} (request ${id})`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#fail(`did not reply to ${what} within ${limitMs} ms`);
      }, limitMs);
      this.#open.set(id, { what, resolve, reject, timer });
      this.#send({ id, ...request });
    });
  }

  /** Signals its whole group. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // No process of the group is left.
    }
  }

  /** SIGKILL to its whole group; requests that are open never get a reply. */
  kill(): void {
    this.#failure ??= new AdapterError('it was killed');
    this.#close();
    this.#killGroup();
  }

  /** Lets it end by itself, then kills what is left of its group. */
  async end(): Promise<void> {
    this.#failure ??= new AdapterError('its trial is over');
    this.#close();
    this.#child.stdin?.end();
    const stop = new AbortController();
    await Promise.race([
      this.#exited,
      sleep(this.#limits.endMs, undefined, { signal: stop.signal }).catch(() => undefined),
    ]);
    stop.abort();
    this.#killGroup();
  }

  #greet(): Promise<Ready> {
    const { startMs } = this.#limits;
    const ready = new Promise<Ready>((resolve, reject) => {
      this.#admit = resolve;
      this.#refuse = reject;
    });
    const timer = setTimeout(() => this.#fail(`was not ready within ${startMs} ms`), startMs);
    this.#send({ protocol: PROTOCOL, ...this.#parts.greeting });
    return ready.finally(() => clearTimeout(timer));
  }

  #send(line: object): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (this.#failure !== undefined) return;
      this.#take(line);
    }
    if (this.#noise + this.#rest.length > NOISE_MAX)
      this.#fail(`wrote more than ${NOISE_MAX} characters that are no reply`);
  }

  #take(line: string): void {
    // Runtimes print warnings of their own.
    if (!line.startsWith('{')) {
      this.#noise += line.length + 1;
      return;
    }
    const value = parsed(line);
    if (value !== undefined && isReady(value)) return this.#becameReady(readyOf(value));
    const reply = value === undefined ? undefined : replyOf(value);
    if (reply === undefined)
      return this.#fail(`wrote a line that is no reply: ${JSON.stringify(line.slice(0, SHOWN))}`);
    const open = this.#open.get(reply.id);
    if (open === undefined) return this.#fail(this.#unasked(reply));
    this.#open.delete(reply.id);
    clearTimeout(open.timer);
    open.resolve(reply);
  }

  #becameReady(ready: Ready): void {
    if (this.#isReady) return this.#fail('said twice that it is ready');
    if (ready.ready !== PROTOCOL)
      return this.#fail(`speaks version ${ready.ready} of the lines, not ${PROTOCOL}`);
    this.#isReady = true;
    this.#admit(ready);
  }

  #unasked({ id }: Reply): string {
    return id >= 1 && id <= this.#requests
      ? `replied to request ${id} twice`
      : `replied to request ${id}, which was never sent`;
  }

  #fail(how: string): void {
    if (this.#failure !== undefined) return;
    const errors = this.#errors.trim();
    const error = new AdapterError(
      `the external command ${how}${errors === '' ? '' : `; its last errors: ${errors}`}`,
    );
    this.#failure = error;
    for (const { reject } of this.#open.values()) reject(error);
    this.#close();
    this.#killGroup();
    if (this.#isReady) this.#parts.failed(error);
    else this.#refuse(error);
  }

  #killGroup(): void {
    this.signal('SIGKILL');
    Supervisor.get().unwatchGroup(this.#child);
  }

  #close(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#open.clear();
  }
}
