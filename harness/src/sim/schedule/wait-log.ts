import {
  type Attempt,
  type Backend,
  type Contender,
  callDeadlineMs,
  type MemoryLink,
  type Runtime,
  type Withdrawal,
} from '@holdfast/core/backend';
import { DatabaseDoubt, type PostgresDatabase } from '@holdfast/postgres/port';
import { NodeDoubt, type RedisNode } from '@holdfast/redis/port';
import type { SimProcess } from '../process.ts';
import type { ClientView } from './cluster.ts';

/** The result of one attempt, as the backend returned it. */
export interface AttemptRecord {
  /** True time. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: Attempt['kind'] | 'threw';
  /** True if it had at least the time of one call, so that silence is evidence about the servers. */
  readonly isWhole: boolean;
}

/** The time and result of a withdrawal. */
export interface WithdrawalRecord {
  /** True time. */
  readonly atMs: number;
  readonly kind: Withdrawal['kind'];
}

/** One acquisition, as far as it came. */
export interface WaitRecord {
  readonly hold: string;
  /** Its contender, and another for every grant that came too late to be useful. */
  readonly contenders: string[];
  readonly attempts: AttemptRecord[];
  withdrawn?: WithdrawalRecord;
  /** The end of the wait; true time. */
  endedMs: number;
  /** Remaining time of the holder's lease, as the error of a refused acquisition reported it. */
  leftMs?: number;
  /** True if, at its end, all requests of its client since it began had a reply. */
  isAnswered?: boolean;
}

/**
 * Observes the waits of one client at the seam: the result of each attempt, and each withdrawal. Replaces nothing and
 * delays nothing, so that the run stays as it is.
 */
export class WaitLog {
  /** The waits that were refused. */
  readonly refused: WaitRecord[] = [];
  readonly #process: SimProcess;
  readonly #ttlMs: number | undefined;
  readonly #waits = new Map<string, WaitRecord>();
  /** Waits whose grants came too late: the next contender of an unknown name continues the first of them. */
  readonly #late: WaitRecord[] = [];
  /** The wait whose acquisition starts right now. */
  #current: WaitRecord | undefined;
  #unanswered = 0;
  #doubtAtMs = Number.NEGATIVE_INFINITY;

  /** `ttlMs` is absent if a lease is its session's. */
  constructor(process: SimProcess, ttlMs: number | undefined) {
    this.#process = process;
    this.#ttlMs = ttlMs;
  }

  /** Wraps the runtime: core draws a contender's id inside `acquire`, before that returns. */
  runtime(runtime: Runtime): Runtime {
    const randomId = (): string => {
      const id = runtime.randomId();
      if (this.#current?.contenders.length === 0) this.#name(this.#current, id);
      return id;
    };
    return {
      now: () => runtime.now(),
      elapsedMs: (since) => runtime.elapsedMs(since),
      timer: (ms, run, options) => runtime.timer(ms, run, options),
      randomId,
      random: () => runtime.random(),
      onCollected: (target, run) => runtime.onCollected(target, run),
    };
  }

  duringAcquire<T>(hold: string, acquire: () => Promise<T>): Promise<T> {
    this.#current = { hold, contenders: [], attempts: [], endedMs: Number.POSITIVE_INFINITY };
    try {
      return acquire();
    } finally {
      this.#current = undefined;
    }
  }

  /** Records that a grant of this contender was released because it came too late. */
  noteLateGrant(contender: string): void {
    const wait = this.#waits.get(contender);
    if (wait !== undefined) this.#late.push(wait);
  }

  noteRefusal(hold: string, error: unknown): void {
    const wait = [...this.#waits.values()].find((each) => each.hold === hold);
    if (wait === undefined) return;
    wait.endedMs = this.#process.nowMs;
    const startedMs = wait.attempts[0]?.fromMs ?? Number.POSITIVE_INFINITY;
    wait.isAnswered = this.#unanswered === 0 && this.#doubtAtMs < startedMs;
    const leftMs = leftMsIn(error);
    if (leftMs !== undefined) wait.leftMs = leftMs;
    this.refused.push(wait);
  }

  backend(backend: Backend): Backend {
    // A library that takes a backend's place makes its attempts by itself.
    if (!('contend' in backend)) return backend;
    const contend = backend.contend.bind(backend);
    return Object.assign(backend, {
      contend: (request: Parameters<typeof contend>[0]) =>
        this.#contender(contend(request), request.contender),
    });
  }

  /** Observes requests to servers and their replies. */
  view({ nodes, database, ...rest }: ClientView): ClientView {
    return {
      ...rest,
      nodes: nodes.map((node) => this.#node(node)),
      ...(database && { database: this.#database(database) }),
    };
  }

  #database(database: PostgresDatabase): PostgresDatabase {
    return {
      address: database.address,
      run: (...args) => this.#call(database.run(...args)),
      listen: (...args) => database.listen(...args),
      openSession: async (...args) => {
        const session = await this.#call(database.openSession(...args));
        return {
          run: (...call) => this.#call(session.run(...call)),
          onEnd: (listener) => session.onEnd(listener),
          close: () => session.close(),
        };
      },
      close: () => database.close(),
    };
  }

  #node(node: RedisNode): RedisNode {
    return {
      get address() {
        return node.address;
      },
      get connections() {
        return node.connections;
      },
      command: (...args) => this.#call(node.command(...args)),
      script: (...args) => this.#call(node.script(...args)),
      subscribe: (...args) => node.subscribe(...args),
      close: () => node.close(),
      ...(node.cluster && { cluster: node.cluster }),
    };
  }

  link(link: MemoryLink): MemoryLink {
    return {
      call: (label, effect) => {
        const called = link.call(label, effect);
        return called instanceof Promise ? this.#call(called) : called;
      },
      deliver: (label, run) => link.deliver(label, run),
    };
  }

  #name(wait: WaitRecord, contender: string): void {
    wait.contenders.push(contender);
    this.#waits.set(contender, wait);
  }

  #contender(contender: Contender, id: string): Contender {
    const wait = this.#waits.get(id) ?? this.#late.shift();
    if (wait === undefined) return contender;
    if (!this.#waits.has(id)) this.#name(wait, id);
    const attempt = contender.attempt.bind(contender);
    const withdraw = contender.withdraw.bind(contender);
    return Object.assign(contender, {
      attempt: (deadlineMs: number) => this.#try(wait, deadlineMs, attempt),
      withdraw: () => {
        const note = (kind: Withdrawal['kind']): void => {
          wait.withdrawn = { atMs: this.#process.nowMs, kind };
        };
        const withdrawing = withdraw();
        withdrawing.then(
          ({ kind }) => note(kind),
          () => note('unknown'),
        );
        return withdrawing;
      },
    });
  }

  #try(
    wait: WaitRecord,
    deadlineMs: number,
    attempt: (deadlineMs: number) => Promise<Attempt>,
  ): Promise<Attempt> {
    const { nowMs: fromMs, clocks } = this.#process;
    const isWhole = deadlineMs - clocks.monotonicMs >= callDeadlineMs(this.#ttlMs);
    const note = (kind: AttemptRecord['kind']): void => {
      wait.attempts.push({ fromMs, toMs: this.#process.nowMs, kind, isWhole });
    };
    const tried = attempt(deadlineMs);
    tried.then(
      ({ kind }) => note(kind),
      () => note('threw'),
    );
    return tried;
  }

  #call<T>(called: Promise<T>): Promise<T> {
    this.#unanswered++;
    called.then(
      () => this.#unanswered--,
      (error: unknown) => {
        this.#unanswered--;
        if (error instanceof NodeDoubt || error instanceof DatabaseDoubt)
          this.#doubtAtMs = this.#process.nowMs;
      },
    );
    return called;
  }
}

function leftMsIn(error: unknown): number | undefined {
  const remainingMs: unknown =
    error instanceof Error ? Reflect.get(error, 'holderRemainingMs') : undefined;
  return typeof remainingMs === 'number' ? remainingMs : undefined;
}
