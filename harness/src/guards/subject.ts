/** A holder of the lock, as the code under test sees it. */
export interface Holder {
  /** For people. */
  readonly name: string;
  /** With which it writes. */
  readonly token: bigint;
  /** To be awaited before each step: the holder may be paused here. */
  step(next: string): Promise<void>;
  /** To be awaited when the store says that another transaction is in the way, before the step is tried again. */
  blocked(): Promise<void>;
}

/**
 * The position of a write among all writes, drawn inside the store, while the writer excludes others from the row. The
 * order of the replies is another one: a server can be paused between a commit and its reply.
 */
export type WriteOutcome = number | 'refused';

/** A write of a holder, once its effect can be seen by others, or it was refused. */
export interface RowWrite {
  /** The row. */
  readonly row: string;
  /** The value that it was computed from. */
  readonly readValue: number;
  readonly outcome: WriteOutcome;
}

/** A resource behind a guard, or behind something that looks like one. */
export interface GuardSubject {
  /** Names it in reports. */
  readonly name: string;
  /** An exhibit is expected to fall. */
  readonly kind: 'guard' | 'exhibit';
  /** Puts every row of {@link ROWS} back to 0, and forgets all tokens. */
  reset(): Promise<void>;
  /** Adds 1 to every row: reads all, then writes all. Calls `wrote` for each write that counts, or was refused. */
  addToAll(holder: Holder, wrote: (write: RowWrite) => void): Promise<void>;
  /** The values of {@link ROWS}, in order. */
  values(): Promise<readonly number[]>;
  /**
   * Resolves once a holder waits inside the store for another one; rejects never, and ends when the signal aborts. Absent if
   * the store never lets anybody wait.
   */
  waiting?(this: void, signal: AbortSignal): Promise<void>;
}

/** The rows of every subject. */
export const ROWS = ['a', 'b'] as const;
/** The key of the lock that protects them. */
export const KEY = 'rows';

/** How a subject reads and writes one row. */
export interface RowAccess {
  read(row: string): Promise<number>;
  write(row: string, value: number): Promise<WriteOutcome>;
}

/** The work that every subject does, between its first and its last step. Returns its writes. */
export async function addOne(holder: Holder, access: RowAccess): Promise<readonly RowWrite[]> {
  const read: number[] = [];
  for (const row of ROWS) {
    await holder.step(`read ${row}`);
    read.push(await access.read(row));
  }
  const writes: RowWrite[] = [];
  for (const [at, row] of ROWS.entries()) {
    const readValue = read[at] ?? 0;
    await holder.step(`write ${row}`);
    writes.push({ row, readValue, outcome: await access.write(row, readValue + 1) });
  }
  return writes;
}
