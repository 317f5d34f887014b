import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exit, type Supervised, Supervisor } from './supervisor.ts';

/** The command that starts a server. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The text of the configuration file that the arguments name, if any. */
  readonly config?: string | undefined;
}

export interface ServerProcessParts extends StartCommand {
  /** Its name in messages: `redis-server on port 6379`. */
  readonly name: string;
  readonly folder: string;
  /** True if this process serves, given its output: another process may listen on its port. */
  isReady(output: string): Promise<boolean> | boolean;
}

/** Java takes 0.3 s on an idle machine, and many times that on a busy one. */
const START_MS = 30_000;
const LOOK_MS = 10;
const LINES_SHOWN = 5;
const PORT_TAKEN = /address already in use|couldn't bind to/i;

/** Another process has taken its port since it was found free. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

/** One server process, which can be paused, killed and restarted. It ends when this process does, however that ends. */
export class ServerProcess {
  readonly #parts: ServerProcessParts;
  readonly #supervisor = Supervisor.get();
  #running: Supervised | undefined;
  /** Resolves once the killed process has exited and its port is free. */
  #exited: Promise<unknown> = Promise.resolve();
  #starts = 0;

  constructor(parts: ServerProcessParts) {
    this.#parts = parts;
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.#running?.exit === undefined ? this.#running?.pid : undefined;
  }

  /**
   * Starts it, again if it runs; resolves once it serves. Rejects with {@link PortTakenError} if its port was taken.
   */
  async restart(): Promise<void> {
    await this.end();
    const start = ++this.#starts;
    const { command, args, folder } = this.#parts;
    const running = await this.#supervisor.start({ command, args, folder, log: this.#log });
    if (start !== this.#starts) {
      running.kill('SIGKILL');
      throw this.#killed;
    }
    this.#running = running;
    await this.#untilReady(running);
  }

  /** SIGSTOP: pauses it; its clock keeps running. */
  stop(): void {
    this.#running?.kill('SIGSTOP');
  }

  /** SIGCONT. */
  resume(): void {
    this.#running?.kill('SIGCONT');
  }

  /** SIGKILL. */
  kill(): void {
    this.#starts++;
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    this.#exited = running.gone;
    running.kill('SIGKILL');
  }

  /** As `kill`; resolves once it has exited. */
  async end(): Promise<void> {
    this.kill();
    await this.#supervisor.waitFor(this.#exited);
  }

  /** Ends it and removes its folder. */
  async close(): Promise<void> {
    await this.end();
    this.#supervisor.remove(this.#parts.folder);
  }

  async #untilReady(running: Supervised): Promise<void> {
    const untilMs = performance.now() + START_MS;
    for (;;) {
      // It was killed or restarted meanwhile.
      if (this.#running !== running) throw this.#killed;
      // In this order: the output of an ended process is complete.
      const { exit } = running;
      const output = this.#output;
      if (exit !== undefined) throw this.#failure(howOf(exit), output);
      if (PORT_TAKEN.test(output)) throw this.#failure('could not bind its port', output);
      if (await this.#parts.isReady(output)) return;
      if (performance.now() > untilMs) throw this.#failure('did not become ready', output);
      await Promise.race([running.gone, sleep(LOOK_MS)]);
    }
  }

  #failure(what: string, output: string): Error {
    this.kill();
    const last = output.trim().split('\n').slice(-LINES_SHOWN).join('\n');
    const message = `${this.#parts.name} ${what}${last === '' ? '' : `: ${last}`}`;
    return PORT_TAKEN.test(output) ? new PortTakenError(message) : new Error(message);
  }

  get #killed(): Error {
    return new Error(`${this.#parts.name} was killed`);
  }

  get #log(): string {
    return join(this.#parts.folder, `${basename(this.#parts.command)}.log`);
  }

  get #output(): string {
    try {
      return readFileSync(this.#log, 'utf8');
    } catch {
      return '';
    }
  }
}

function howOf({ code, signal }: Exit): string {
  return signal === null ? `exited with ${code}` : `was ended by ${signal}`;
}
