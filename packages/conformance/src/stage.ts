import { type Backend, createHost, type Runtime, systemRuntime } from '@holdfast/core/backend';
import { Actor } from './actor.ts';
import { Breach, textOf } from './breach.ts';
import type { BackendUnderTest, Faults } from './subject.ts';

const TTL_MS_DEFAULT = 1_000;
/** Longer than any check: a hold that ends sooner was not ended by its ttl. */
const LONG_MS = 600_000;
const CLOSE_MS = 2_000;
const SLACK_MS_DEFAULT = 5_000;

/**
 * The environment of one check: its processes, its keys and its time limits.
 * @example
 * ```ts
 * async function run(stage: Stage): Promise<void> {
 *   const [a, b] = await stage.actors('a', 'b');
 *   const key = stage.key();
 *   await a.mustAcquire(key, stage.longMs, 'it is free');
 *   await b.mustFindBusy(key, stage.longMs, 'a holds it');
 * }
 * ```
 */
export class Stage {
  /** The backend that is checked. */
  readonly subject: BackendUnderTest;
  /** The faults of the subject; empty if it has none. */
  readonly faults: Faults;
  /** The ttl of a lease whose end a check waits for. */
  readonly shortMs: number;
  /** Requests of one renewal that follow each other. */
  readonly renewalCalls: number;
  /** The ttl of a lease whose end a check does not wait for. */
  readonly longMs: number = LONG_MS;
  /** Tolerance added to a deadline before it counts as broken. */
  readonly slackMs: number;
  readonly #runtime: Runtime;
  readonly #opened: Backend[] = [];
  #keys = 0;
  readonly #prefix: string;

  constructor(subject: BackendUnderTest) {
    this.subject = subject;
    this.faults = subject.faults ?? {};
    this.shortMs = subject.ttlMs ?? TTL_MS_DEFAULT;
    this.renewalCalls = subject.renewalCalls ?? 1;
    this.slackMs = subject.slackMs ?? SLACK_MS_DEFAULT;
    this.#runtime = runtimeOf(subject, 'judge');
    this.#prefix = this.#runtime.randomId();
  }

  /** Opens the backend in a process with this name. */
  async actor(name: string): Promise<Actor> {
    const runtime = runtimeOf(this.subject, name);
    const warnings: string[] = [];
    const on = { warning: ({ code }: { readonly code: string }) => void warnings.push(code) };
    const backend = await this.subject.open(createHost({ runtime, label: name, on }));
    this.#opened.push(backend);
    return new Actor(name, { backend, runtime, warnings }, this.subject.capabilities);
  }

  /** Opens the backend in two processes with these names. */
  actors(a: string, b: string): Promise<readonly [Actor, Actor]>;
  /** Opens the backend in three processes with these names. */
  actors(a: string, b: string, c: string): Promise<readonly [Actor, Actor, Actor]>;
  actors(...names: readonly string[]): Promise<readonly Actor[]> {
    return Promise.all(names.map((name) => this.actor(name)));
  }

  /** A key that has not been used before. */
  key(): string {
    this.#keys += 1;
    return `conformance/${this.#prefix}/${this.#keys}`;
  }

  /** Waits until the leases of `actor` with a ttl of `shortMs` have certainly ended. */
  async outlive(actor: Actor): Promise<void> {
    if (this.faults.outlive !== undefined) await this.faults.outlive(actor.name);
    else await this.sleep(2 * this.shortMs);
  }

  /** Waits so many ms, by the clock of the judge. */
  sleep(ms: number): Promise<void> {
    return new Promise((resume) => {
      this.#runtime.timer(ms, resume, { awaited: true });
    });
  }

  /** Awaits `promise`. @throws Breach if it is rejected, or takes longer than `ms` and the slack */
  within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (of: string): void => reject(new Breach(`${what} ${of}`));
      const giveUp = (): void => fail(`did not settle within ${ms} ms`);
      const cancel = this.#runtime.timer(ms + this.slackMs, giveUp, { awaited: true });
      const rejected = (cause: unknown): void => fail(`was rejected: ${textOf(cause)}`);
      promise.finally(cancel).then(resolve, rejected);
    });
  }

  /** Closes the processes. A backend that does not settle in time is ignored here: a check of its own reports it. */
  async close(): Promise<void> {
    const closing = this.#opened.map((backend) => backend.close({ timeoutMs: CLOSE_MS }));
    await this.within(CLOSE_MS, 'closing', Promise.allSettled(closing)).catch(() => undefined);
  }
}

function runtimeOf(subject: BackendUnderTest, process: string): Runtime {
  return subject.runtimeOf?.(process) ?? systemRuntime();
}
