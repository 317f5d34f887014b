import { type Backend, createHost, type Runtime, systemRuntime } from '@holdfast/core';
import { Actor } from './actor.ts';
import { Breach, shown } from './breach.ts';
import type { Faults, Subject } from './subject.ts';

const TTL_MS_DEFAULT = 1_000;
/** Longer than any check: what is gone sooner was not gone by its ttl. */
const LONG_MS = 600_000;
const CLOSE_MS = 2_000;
const SLACK_MS_DEFAULT = 5_000;

/** Where one check plays: its processes, its keys, and the time it has. */
export class Stage {
  readonly subject: Subject;
  readonly faults: Faults;
  /** The ttl of a lease that a check waits out. */
  readonly shortMs: number;
  /** The ttl of a lease that a check does not wait out. */
  readonly longMs: number = LONG_MS;
  /** What may be added to a deadline before somebody is accused. */
  readonly slackMs: number;
  readonly #runtime: Runtime;
  readonly #opened: Backend[] = [];
  #keys = 0;
  readonly #prefix: string;

  constructor(subject: Subject) {
    this.subject = subject;
    this.faults = subject.faults ?? {};
    this.shortMs = subject.ttlMs ?? TTL_MS_DEFAULT;
    this.slackMs = subject.slackMs ?? SLACK_MS_DEFAULT;
    this.#runtime = runtimeOf(subject, 'judge');
    this.#prefix = this.#runtime.randomId();
  }

  /** A process called so, with the backend open in it. */
  async actor(name: string): Promise<Actor> {
    const runtime = runtimeOf(this.subject, name);
    const backend = await this.subject.open(createHost({ runtime, label: name }));
    this.#opened.push(backend);
    return new Actor(name, backend, runtime, this.subject.capabilities);
  }

  /** Two or three processes called so. */
  actors(a: string, b: string): Promise<readonly [Actor, Actor]>;
  actors(a: string, b: string, c: string): Promise<readonly [Actor, Actor, Actor]>;
  actors(...names: readonly string[]): Promise<readonly Actor[]> {
    return Promise.all(names.map((name) => this.actor(name)));
  }

  /** A key that nobody has used before. */
  key(): string {
    this.#keys += 1;
    return `conformance/${this.#prefix}/${this.#keys}`;
  }

  /** Waits until the leases of `actor` that were taken for `shortMs` must be over for everybody. */
  async outlive(actor: Actor): Promise<void> {
    if (this.faults.outlive !== undefined) await this.faults.outlive(actor.name);
    else await this.sleep(2 * this.shortMs);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resume) => {
      this.#runtime.timer(ms, resume, { awaited: true });
    });
  }

  /** What `promise` resolves to. @throws Breach when it is rejected, or takes longer than `ms` and the slack */
  within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (of: string): void => reject(new Breach(`${what} ${of}`));
      const giveUp = (): void => fail(`did not settle within ${ms} ms`);
      const cancel = this.#runtime.timer(ms + this.slackMs, giveUp, { awaited: true });
      const rejected = (cause: unknown): void => fail(`was rejected: ${shown(cause)}`);
      promise.finally(cancel).then(resolve, rejected);
    });
  }

  /** Closes the processes; one that does not end has been accused of it where that is the rule. */
  async close(): Promise<void> {
    const closing = this.#opened.map((backend) => backend.close({ timeoutMs: CLOSE_MS }));
    await this.within(CLOSE_MS, 'closing', Promise.allSettled(closing)).catch(() => undefined);
  }
}

function runtimeOf(subject: Subject, process: string): Runtime {
  return subject.runtimeOf?.(process) ?? systemRuntime();
}
