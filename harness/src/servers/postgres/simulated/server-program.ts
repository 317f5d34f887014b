import type { Anchors } from '../../../sim/anchors.ts';
import type { EventOwner } from '../../../sim/event-queue.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import type { PostgresEngine } from './engine.ts';
import { type Message, type MessageOutcome, ServerSession } from './server-session.ts';
import type { Notification, Transaction } from './sql/transaction.ts';
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
}

interface OpenSession {
  readonly session: ServerSession;
  readonly channels: Set<string>;
  heard: Heard | undefined;
}

/** One run of a server, from start to end; its events are dropped once it has crashed. */
export class ServerProgram implements EventOwner {
  readonly engine: PostgresEngine;
  readonly #parts: ProgramParts;
  readonly #sessions = new Map<Connection, OpenSession>();
  readyAtUs = 0;
  crashed = false;

  constructor(parts: ProgramParts) {
    this.engine = parts.engine;
    this.#parts = parts;
  }

  connected(connection: Connection, pid: number): void {
    const { kernel, engine, nowUs } = this.#parts;
    const channels = new Set<string>();
    const session = new ServerSession({
      kernel,
      engine,
      owner: this,
      pid,
      nowUs,
      commit: (transaction, message, done) => this.#commit(connection, transaction, message, done),
      listen: (channel) => void channels.add(channel),
    });
    this.#sessions.set(connection, { session, channels, heard: undefined });
  }

  disconnected(connection: Connection): void {
    this.#sessions.get(connection)?.session.disconnected();
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
    open.session.run(message, (each) => {
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

/** For people: the first row, or the error. */
function described(outcome: MessageOutcome): string {
  if ('error' in outcome) return outcome.error.code;
  const [first] = outcome.rows;
  return first === undefined ? '' : Object.values(first).join(' ');
}
