import type { RowValues } from './expressions.ts';
import type { StoredRow } from './table.ts';

/** How strongly a row is locked. */
export type LockMode = 'key share' | 'share' | 'no key update' | 'update';

/** A change of one row, as the log has it. */
export interface LoggedChange {
  readonly table: string;
  readonly id: string;
  /** Undefined: it is deleted. */
  readonly values: RowValues | undefined;
}

export interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/** One transaction. Others see nothing of it until it has ended. */
export class Transaction {
  /** The server's clock at its beginning, in µs since 1970. */
  readonly startedUs: number;
  readonly notifications: Notification[] = [];
  readonly #rows = new Set<StoredRow>();
  readonly #ended: (() => void)[] = [];
  #hasEnded = false;

  constructor(startedUs: number) {
    this.startedUs = startedUs;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** True once it has an id: it has written or locked a row. */
  get hasId(): boolean {
    return this.#rows.size > 0;
  }

  /** It writes or locks this row. */
  touches(row: StoredRow): void {
    this.#rows.add(row);
  }

  /** What it has written so far. */
  get changes(): readonly LoggedChange[] {
    return Array.from(this.#rows).flatMap((row) => row.changeBy(this) ?? []);
  }

  /** Calls `run` once it has ended. */
  onEnd(run: () => void): void {
    this.#ended.push(run);
  }

  end(isCommitted: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const row of this.#rows) row.end(this, isCommitted);
    for (const run of this.#ended.splice(0)) run();
  }
}
