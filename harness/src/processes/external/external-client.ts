import type { Client } from '../clients/client.ts';
import type {
  ClientReport,
  ContentionWork,
  NamedOpening,
  Opening,
  Probing,
  Sample,
  Task,
} from '../clients/messages.ts';
import { ReportListeners } from '../clients/report-listeners.ts';
import { hostMs } from '../clock.ts';
import type { ShiftedClock } from '../clock-shim.ts';
import { EventLog } from '../event-log.ts';
import { AdapterError, type AdapterLimits, AdapterProcess } from './adapter-process.ts';
import { ExternalWork, probeExternal } from './external-work.ts';
import type { Ready } from './protocol.ts';

/** The opening of a lock that is a command. */
export interface ExternalOpening extends Opening {
  readonly command: string;
  readonly servers: readonly string[];
  readonly ttlMs: number;
}

export interface ExternalClientParts {
  readonly name: string;
  readonly logPath: string;
  readonly resourcePort: number;
  readonly clock?: ShiftedClock | undefined;
  readonly limits?: AdapterLimits;
}

/** The clocks that this command reads cannot be shifted, so faults of clocks would prove nothing. */
export class ClocksUnreachable extends Error {
  override readonly name = 'ClocksUnreachable';
}

/** Far beyond any time that a reply takes, in ms. */
const SHIFT_MS = 3_600_000;

/** A client whose lock is a command in any language. The process of the laboratory steers it; faults hit its group. */
export class ExternalClient implements Client {
  readonly name: string;
  readonly clock: ShiftedClock | undefined;
  readonly failure: Promise<never>;
  readonly #parts: ExternalClientParts;
  readonly #log: EventLog;
  readonly #listeners = new ReportListeners();
  readonly #proceedCallbacks = new Set<() => void>();
  #reject: (error: Error) => void = () => undefined;
  #adapter: AdapterProcess | undefined;
  #shutdown = new AbortController();
  #contending: Promise<unknown> = Promise.resolve();
  #probing: Promise<readonly Sample[]> = Promise.resolve([]);
  #ready: Ready | undefined;
  #isKilled = false;
  /** Settles a task that a kill interrupts: no reply to it can arrive any more. */
  #interrupt: () => void = () => undefined;

  constructor(parts: ExternalClientParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.clock = parts.clock;
    this.#log = new EventLog(parts.logPath);
    this.failure = new Promise<never>((_, reject) => (this.#reject = reject));
    this.failure.catch(() => undefined);
  }

  /** What the adapter said of itself. */
  get ready(): Ready | undefined {
    return this.#ready;
  }

  async run(task: Task): Promise<readonly Sample[]> {
    const interrupted = new Promise<readonly Sample[]>((done) => {
      this.#interrupt = () => done([]);
    });
    return await Promise.race([this.#perform(task), this.failure, interrupted]);
  }

  measure(): Promise<readonly number[]> {
    return Promise.reject(new Error('the cost of an external command is not measured'));
  }

  nextReport(kind: ClientReport['kind'], key?: string): Promise<void> {
    return this.#listeners.next(kind, key);
  }

  proceed(): void {
    for (const each of this.#proceedCallbacks) each();
    this.#proceedCallbacks.clear();
  }

  block(): number {
    throw new Error('an external command has no event loop that could be blocked');
  }

  stop(): number {
    this.#adapter?.signal('SIGSTOP');
    return hostMs();
  }

  resume(): void {
    this.#adapter?.signal('SIGCONT');
  }

  kill(): number {
    this.#isKilled = true;
    this.#adapter?.kill();
    const atMs = hostMs();
    this.#shutdown.abort();
    this.#interrupt();
    return atMs;
  }

  fail(error: Error): void {
    this.#reject(error);
  }

  async #perform(task: Task): Promise<readonly Sample[]> {
    if (task.kind === 'open') await this.#open(task.opening);
    else if (task.kind === 'begin') this.#begin(task.work);
    else if (task.kind === 'finish') return await this.#finish();
    else throw new Error(`an external command does not ${task.kind}`);
    return [];
  }

  async #open(opening: Opening | NamedOpening): Promise<void> {
    if (!isExternal(opening)) throw new Error('an external client runs commands alone');
    const { name, resourcePort, clock, limits } = this.#parts;
    const { command, servers, ttlMs } = opening;
    const resource = `127.0.0.1:${resourcePort}`;
    const { adapter, ready } = await AdapterProcess.start({
      command,
      greeting: { client: name, servers, resource, ttlMs },
      variables: clock?.variables,
      ...(limits && { limits }),
      failed: (error) => this.#failed(error),
    });
    this.#adapter = adapter;
    this.#ready = ready;
    if (this.#isKilled) adapter.kill();
    else if (clock !== undefined) await this.#checkClock(adapter, clock);
  }

  /** @throws ClocksUnreachable if the command does not see that its clock is shifted */
  async #checkClock(adapter: AdapterProcess, clock: ShiftedClock): Promise<void> {
    clock.set(SHIFT_MS);
    const { wallMs = 0 } = await adapter.request({ do: 'clock' });
    clock.set(0);
    if (Math.abs(wallMs - Date.now()) < SHIFT_MS / 2)
      throw new ClocksUnreachable(
        'its clocks cannot be shifted: it does not read them through the C library',
      );
  }

  #begin(work: ContentionWork & Probing): void {
    const adapter = this.#adapter;
    if (adapter === undefined) throw new Error('no external command has been started');
    this.#shutdown = new AbortController();
    const { signal } = this.#shutdown;
    const context = {
      name: this.name,
      adapter,
      log: this.#log,
      signal,
      untilSignalled: () => this.#untilProceed(signal),
      report: (kind: ClientReport['kind'], key: string) => this.#listeners.report(kind, key),
    };
    this.#contending = new ExternalWork(work, context).run();
    this.#probing = probeExternal(work, context);
    for (const each of [this.#contending, this.#probing])
      each.catch((error: unknown) => this.#failed(asError(error)));
  }

  async #finish(): Promise<readonly Sample[]> {
    this.#shutdown.abort();
    await this.#contending;
    const samples = await this.#probing;
    await this.#adapter?.end();
    return samples;
  }

  #failed(error: Error): void {
    if (!this.#isKilled && !this.#shutdown.signal.aborted) this.#adapter?.kill();
    if (!this.#isKilled) this.fail(nameIn(error, this.name));
  }

  #untilProceed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#proceedCallbacks.add(resolve);
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve());
    });
  }
}

function isExternal(opening: Opening | NamedOpening): opening is ExternalOpening {
  return 'command' in opening && 'servers' in opening;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function nameIn(error: Error, name: string): Error {
  return error instanceof AdapterError ? new AdapterError(`${name}: ${error.message}`) : error;
}
