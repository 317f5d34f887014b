import {
  addOne,
  type GuardSubject,
  type Holder,
  ROWS,
  type RowWrite,
  type WriteOutcome,
} from './subject.ts';

/** A store whose every write is checked, or should be. */
export interface CheckedStore
  extends Pick<GuardSubject, 'name' | 'kind' | 'reset' | 'values' | 'waiting'> {
  /** Resolves to false if the token was refused. Absent: nothing is done before the reads. */
  admit?(token: bigint): Promise<boolean>;
  read(row: string): Promise<number>;
  write(row: string, value: number, token: bigint): Promise<WriteOutcome>;
}

/** A subject without transactions: it shows its token, reads, and writes row by row. */
export function checkedWrites(store: CheckedStore): GuardSubject {
  const addToAll = async (holder: Holder, wrote: (write: RowWrite) => void): Promise<void> => {
    if (store.admit !== undefined) {
      await holder.step('show the token');
      if (!(await store.admit(holder.token))) return refuseAll(wrote);
    }
    const read = new Map<string, number>();
    await addOne(holder, {
      async read(row) {
        const value = await store.read(row);
        read.set(row, value);
        return value;
      },
      async write(row, value) {
        const outcome = await store.write(row, value, holder.token);
        wrote({ row, readValue: read.get(row) ?? 0, outcome });
        return outcome;
      },
    });
  };
  const { name, kind, reset, values, waiting } = store;
  return {
    name,
    kind,
    addToAll,
    reset: () => reset.call(store),
    values: () => values.call(store),
    ...(waiting === undefined ? {} : { waiting }),
  };
}

/** Reports that no row was written. */
export function refuseAll(wrote: (write: RowWrite) => void): void {
  for (const row of ROWS) wrote({ row, readValue: 0, outcome: 'refused' });
}
