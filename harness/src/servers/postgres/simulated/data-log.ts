import type { PostgresEngine } from './engine.ts';
import type { LoggedChange } from './sql/transaction.ts';

/** A server's data on disk: a copy, and every transaction since then. */
export class DataLog {
  #base: readonly LoggedChange[] = [];
  #records: (readonly LoggedChange[])[] = [];

  append(changes: readonly LoggedChange[]): void {
    this.#records.push(changes);
  }

  /** Begins anew with a copy of another server's data. */
  start(contents: readonly LoggedChange[]): void {
    this.#base = contents;
    this.#records = [];
  }

  /** Drops the last `count` transactions: a power loss, on a disk that had not written what it said it had. */
  tear(count: number): void {
    this.#records.length = Math.max(0, this.#records.length - count);
  }

  /** All that it says, with transactions that wait for a standby and that nobody sees yet. */
  get contents(): readonly LoggedChange[] {
    const latest = new Map<string, LoggedChange>();
    for (const change of [...this.#base, ...this.#records.flat()])
      latest.set(`${change.table}\n${change.id}`, change);
    return [...latest.values()];
  }

  /** Recovers everything in an empty server, transactions included whose clients have had no reply. */
  recover(engine: PostgresEngine): void {
    engine.apply(this.#base);
    for (const changes of this.#records) engine.apply(changes);
  }
}
