import type { Anchors } from '../../../sim/anchors.ts';
import type { EventOwner } from '../../../sim/event-queue.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import type { PostgresEngine } from './engine.ts';
import { type Commit, type Message, type MessageOutcome, ServerSession } from './server-session.ts';
import type { SilentSessions } from './sql/advisory-locks.ts';
import type { Notification, Transaction } from './sql/transaction.ts';
import { SqlUnsupported } from './sql/unsupported.ts';
import type { Storage } from './storage.ts';

/** Called in the client's process for every notification that its session listens to. */
export type Heard = (channel: string, payload: string) => void;

export interface ProgramParts {
  readonly name: string;
  readonly kernel: Kernel;
  readonly anchors: Anchors;
  readonly storage: Storage;
  readonly engine: PostgresEngine;
  readonly nowUs: () => number;
  /** True behind a transaction pooler. */
  readonly isPooled: boolean;
}

/** A session of a pooler, and the connection that it serves now. */
interface PooledSession {
  readonly session: ServerSession;
  readonly serves: { connection: Connection };
}

interface OpenSession {
  /** Absent behind a pooler, which gives every transaction one of its own. */
  readonly session: ServerSession | undefined;
  readonly channels: Set<string>;
  heard: Heard | undefined;
}

/** One run of a server, from start to end; its events are dropped once it has crashed. */
export class ServerProgram implements EventOwner, SilentSessions {
  readonly engine: PostgresEngine;
  readonly #parts: ProgramParts;
  readonly #sessions = new Map<Connection, OpenSession>();
  /** Sessions of a pooler that run nothing; the one that was used last is used next. */
  readonly #idle: PooledSession[] = [];
  #pooled = 0;
  readyAtUs = 0;
  crashed = false;

  constructor(parts: ProgramParts) {
    this.engine = parts.engine;
    this.#parts = parts;
    parts.engine.advisoryLocks.sessions = this;
  }

  /** Only for a client that has died: one that is cut off gives up first, by its own clocks. */
  isGivenUp(pid: number): boolean {
    const nowMs = this.#parts.kernel.nowUs / 1_000;
    for (const [{ process }, { session }] of this.#sessions)
      if (session?.pid === pid)
        return process.crashedAtMs + (session.silenceMs ?? Number.POSITIVE_INFINITY) <= nowMs;
    return false;
  }

  connected(connection: Connection, pid: number): void {
    const channels = new Set<string>();
    const listen = (channel: string): void => void channels.add(channel);
    const session = this.#parts.isPooled ? undefined : this.#session(pid, { connection }, listen);
    this.#sessions.set(connection, { session, channels, heard: undefined });
  }

  disconnected(connection: Connection): void {
    this.#sessions.get(connection)?.session?.disconnected();
    this.#sessions.delete(connection);
  }

  /** Runs a message, unless a fault anchored here prevents it. */
  serve(
    connection: Connection,
    message: Message,
    replied: (outcome: MessageOutcome) => void,
    heard: Heard,
  ): void {
    const { kernel, name, anchors } = this.#parts;
    const { label } = message;
    if (!this.#survives(label)) return;
    const open = this.#sessions.get(connection);
    if (open === undefined) return;
    open.heard = heard;
    kernel.begin(name, 'exec', label);
    let outcome: MessageOutcome | undefined;
    let isLate = false;
    const pooled = open.session === undefined ? this.#pooledSession(connection) : undefined;
    const session = pooled?.session ?? open.session;
    session?.run(message, (each) => {
      if (pooled !== undefined) this.#idle.push(pooled);
      outcome = each;
      if (isLate) this.#reply(connection, label, each, replied);
    });
    isLate = true;
    anchors.passed('after', label);
    if (outcome !== undefined) this.#reply(connection, label, outcome, replied);
  }

  abort(reason: string): void {
    for (const connection of Array.from(this.#sessions.keys())) connection.abort(reason);
  }

  /** Resets the connections that `which` selects. */
  reset(reason: string, which: (connection: Connection) => boolean): void {
    for (const connection of Array.from(this.#sessions.keys()))
      if (which(connection)) connection.reset(reason);
  }

  count(which: (connection: Connection) => boolean): number {
    return Array.from(this.#sessions.keys()).filter(which).length;
  }

  #session(
    pid: number,
    serves: PooledSession['serves'],
    listen: (channel: string) => void,
  ): ServerSession {
    const { kernel, engine, nowUs } = this.#parts;
    const commit: Commit = (transaction, message, done) =>
      this.#commit(serves.connection, transaction, message, done);
    return new ServerSession({ kernel, engine, owner: this, pid, nowUs, commit, listen });
  }

  #pooledSession(connection: Connection): PooledSession {
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      idle.serves.connection = connection;
      return idle;
    }
    const serves = { connection };
    return { session: this.#session(--this.#pooled, serves, listenThroughPooler), serves };
  }

  #commit(
    { process: { name: client } }: Connection,
    transaction: Transaction,
    { label, args }: Message,
    done: (warning?: string) => void,
  ): void {
    this.#parts.storage.commit(transaction, { client, label, args }, (notifications, warning) => {
      this.#notify(notifications);
      done(warning);
    });
  }

  #notify(notifications: readonly Notification[]): void {
    for (const { channel, payload } of notifications)
      for (const [connection, { channels, heard }] of this.#sessions)
        if (channels.has(channel) && heard !== undefined)
          connection.push('message', this.#departUs, () => heard(channel, payload));
  }

  #reply(
    connection: Connection,
    label: string,
    outcome: MessageOutcome,
    replied: (outcome: MessageOutcome) => void,
  ): void {
    if (this.crashed) return;
    connection.reply(
      label,
      this.#departUs,
      () => replied(outcome),
      () => described(outcome),
    );
  }

  /** A server that was stopped at an anchor replies when it resumes. */
  get #departUs(): number {
    return Math.max(this.#parts.kernel.nowUs, this.readyAtUs);
  }

  /** False if a fault anchored here killed the server or stopped it; then the event is put off until it resumes. */
  #survives(label: string): boolean {
    const { anchors, kernel } = this.#parts;
    anchors.passed('before', label);
    if (this.crashed) return false;
    if (this.readyAtUs <= kernel.nowUs) return true;
    kernel.postpone();
    return false;
  }
}

function listenThroughPooler(): never {
  throw new SqlUnsupported('LISTEN through a transaction pooler');
}

/** For people: the first row, or the error. */
function described(outcome: MessageOutcome): string {
  if ('error' in outcome) return outcome.error.code;
  const [first] = outcome.rows;
  return first === undefined ? '' : Object.values(first).join(' ');
}
