import type { Runtime } from '@holdfast/core';
import type { Argument, CallOptions, DatabaseSession, Reply, Statement } from '../port.ts';
import { sentError } from './outcome.ts';
import type { Session } from './session.ts';
import { transactionText } from './transaction.ts';

/** A connection of its own, over one of a client library. */
export class DedicatedSession implements DatabaseSession {
  readonly #session: Session;
  readonly #runtime: Runtime;
  readonly #address: string;

  constructor(session: Session, runtime: Runtime, address: string) {
    this.#session = session;
    this.#runtime = runtime;
    this.#address = address;
  }

  async run(
    statement: Statement,
    args: readonly Argument[],
    { deadlineMs }: CallOptions,
  ): Promise<Reply> {
    const sentAt = this.#runtime.now();
    const text = transactionText(statement, args, deadlineMs - sentAt.monotonicMs);
    try {
      // A warning says nothing about locks of a session, which no commit can lose.
      const { rows } = await this.#session.run(text, { statement, args });
      return { rows, sentAt };
    } catch (cause) {
      throw sentError(cause, this.#address);
    }
  }

  onEnd(listener: () => void): void {
    this.#session.onEnd(listener);
  }

  close(): void {
    this.#session.close();
  }
}
