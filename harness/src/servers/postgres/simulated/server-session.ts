import type { Argument, Row } from '@holdfast/postgres/port';
import type { EventOwner, SimEvent } from '../../../sim/event-queue.ts';
import { type Kernel, toUs } from '../../../sim/kernel.ts';
import { type PostgresEngine, rowOf } from './engine.ts';
import type { Running } from './sql/executor.ts';
import type { Parsed } from './sql/parse.ts';
import { Transaction } from './sql/transaction.ts';
import { SqlUnsupported } from './sql/unsupported.ts';
import { SqlError } from './sql/values.ts';

/** A message of statements, which is one transaction unless it says otherwise. */
export interface Message {
  /** The label of anchors and traces. */
  readonly label: string;
  readonly statements: readonly Parsed[];
  readonly args: readonly Argument[];
}

/** The reply to a message. */
export type MessageOutcome =
  | { readonly rows: readonly Row[]; readonly warning?: string | undefined }
  | { readonly error: SqlError };

/** The commit of a transaction, which may take a while. */
export type Commit = (
  transaction: Transaction,
  message: Message,
  done: (warning?: string) => void,
) => void;

export interface SessionParts {
  readonly kernel: Kernel;
  readonly engine: PostgresEngine;
  /** The run of the server; its timers end with it. */
  readonly owner: EventOwner;
  readonly pid: number;
  readonly nowUs: () => number;
  readonly commit: Commit;
  /** A statement `LISTEN`. */
  readonly listen: (channel: string) => void;
}

/** What a message has come to. */
interface Progress {
  readonly message: Message;
  readonly transaction: Transaction;
  readonly messageUs: number;
  readonly local: Map<string, string>;
  readonly rows: Row[];
  readonly replied: (outcome: MessageOutcome) => void;
  next: number;
  /** True time at which the current statement began. */
  fromUs: number;
}

const LOCK_TIMEOUT = 'lock_timeout';
const STATEMENT_TIMEOUT = 'statement_timeout';
const LIMITS = new Set([LOCK_TIMEOUT, STATEMENT_TIMEOUT]);
const SYNCHRONOUS = 'synchronous_commit';
/** Statements that a standby runs, too. */
const READS = new Set(['select', 'set local', 'isolation', 'begin', 'commit', 'rollback']);

/** One session of a server: it runs the messages of one connection, one after the other. */
export class ServerSession {
  readonly pid: number;
  readonly #parts: SessionParts;
  readonly #settings = new Map<string, string>();
  /** A transaction that the client began, and has not ended. */
  #open: Transaction | undefined;
  #hasFailed = false;
  #isRunning = false;
  #isGone = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.pid = parts.pid;
  }

  /** Runs a message, and replies once its transaction has ended, or once it is done within a longer one. */
  run(message: Message, replied: (outcome: MessageOutcome) => void): void {
    if (this.#isRunning) throw new Error('a session runs one message at a time');
    this.#isRunning = true;
    const messageUs = this.#parts.nowUs();
    const transaction = this.#open ?? new Transaction(messageUs);
    const local = new Map<string, string>();
    const end = (outcome: MessageOutcome): void => {
      this.#isRunning = false;
      if (this.#isGone) this.#open?.end(false);
      replied(outcome);
    };
    this.#advance({
      message,
      transaction,
      messageUs,
      local,
      rows: [],
      replied: end,
      next: 0,
      fromUs: 0,
    });
  }

  /** After so long without a reply of the client's machine the server gives up, in ms; undefined: never. */
  get silenceMs(): number | undefined {
    const ms = Number(this.#settings.get('tcp_user_timeout') ?? 0);
    return ms === 0 ? undefined : ms;
  }

  /** The connection has ended. What it runs goes on, as on a server that learns it only from its reply. */
  disconnected(): void {
    this.#isGone = true;
    this.#parts.engine.advisoryLocks.ended(this.pid);
    if (!this.#isRunning) this.#open?.end(false);
  }

  #advance(progress: Progress): void {
    try {
      for (;;) {
        const statement = progress.message.statements[progress.next];
        if (statement === undefined) return this.#finish(progress);
        progress.next += 1;
        progress.fromUs = this.#parts.kernel.nowUs;
        const running = this.#begin(statement, progress);
        if (running !== undefined && !this.#resume(running, progress)) return;
      }
    } catch (error) {
      this.#fail(error, progress);
    }
  }

  /** Begins a statement; undefined if it is done at once. */
  #begin(statement: Parsed, progress: Progress): Running | undefined {
    const { engine } = this.#parts;
    if (this.#hasFailed && statement.type !== 'rollback')
      throw new SqlError('25P02', 'current transaction is aborted');
    if (engine.isStandby && !READS.has(statement.type))
      throw new SqlError('25006', `cannot execute ${statement.type} in a read-only transaction`);
    if (statement.type === 'isolation') return this.#isolate(statement.level);
    if (statement.type === 'listen') return this.#listen(statement.channel);
    if (statement.type === 'set local') return this.#set(statement, progress);
    if (statement.type === 'begin') return void (this.#open ??= progress.transaction);
    if (statement.type === 'rollback') return this.#rollBack();
    if (statement.type === 'commit') {
      if (progress.message.statements.length > 1)
        throw new SqlUnsupported('COMMIT beside other statements');
      return undefined;
    }
    if (statement.type.startsWith('create'))
      throw new SqlUnsupported('a change of the schema while servers run');
    const { transaction, messageUs, message, local } = progress;
    const { args } = message;
    const session = { pid: this.pid, local, settings: this.#settings };
    return engine.start(statement, { session, transaction, messageUs, args });
  }

  #set(
    { name, value }: { readonly name: string; readonly value: string },
    { local }: Progress,
  ): undefined {
    const isKnown = name === SYNCHRONOUS ? value === 'on' : LIMITS.has(name);
    if (!isKnown) throw new SqlUnsupported(`SET LOCAL ${name} = ${value}`);
    local.set(name, value);
  }

  #listen(channel: string): undefined {
    this.#parts.listen(channel);
  }

  #isolate(level: string): undefined {
    if (level !== 'READ COMMITTED') throw new SqlUnsupported(`ISOLATION LEVEL ${level}`);
  }

  #rollBack(): undefined {
    this.#open?.end(false);
    this.#open = undefined;
    this.#hasFailed = false;
  }

  /** Runs a statement as far as it gets; false if it has to wait. */
  #resume(running: Running, progress: Progress): boolean {
    const { done, value } = running.next();
    if (done === true) {
      progress.rows.push(...value.map(rowOf));
      return true;
    }
    this.#await(value, running, progress);
    return false;
  }

  /** Waits until another transaction has ended, for as long as the limits allow. */
  #await(other: Transaction, running: Running, progress: Progress): void {
    const { kernel, owner } = this.#parts;
    const timers: SimEvent[] = [];
    let isOver = false;
    const over = (): boolean => {
      const wasOver = isOver;
      isOver = true;
      for (const timer of timers) timer.cancelled = true;
      return wasOver;
    };
    const limit = (name: string, sinceUs: number, code: string, what: string): void => {
      const ms = Number(progress.local.get(name) ?? 0);
      if (ms === 0) return;
      const expire = (): boolean => {
        if (!over()) this.#fail(new SqlError(code, `canceling statement due to ${what}`), progress);
        return false;
      };
      timers.push(kernel.schedule(sinceUs + toUs(ms), expire, { owner }));
    };
    limit(LOCK_TIMEOUT, kernel.nowUs, '55P03', 'lock timeout');
    limit(STATEMENT_TIMEOUT, progress.fromUs, '57014', 'statement timeout');
    other.onEnd(() => {
      if (owner.crashed || over()) return;
      try {
        if (this.#resume(running, progress)) this.#advance(progress);
      } catch (error) {
        this.#fail(error, progress);
      }
    });
  }

  #fail(error: unknown, { transaction, replied }: Progress): void {
    if (!(error instanceof SqlError)) throw error;
    transaction.end(false);
    if (transaction === this.#open) this.#hasFailed = true;
    replied({ error });
  }

  #finish(progress: Progress): void {
    const { transaction, rows, replied, message } = progress;
    const isCommit = message.statements[0]?.type === 'commit';
    if (isCommit && transaction !== this.#open) return replied({ rows });
    if (!isCommit && transaction === this.#open) return replied({ rows });
    this.#open = undefined;
    this.#parts.commit(transaction, message, (warning) => replied({ rows, warning }));
  }
}
