import { type Inspection, isLockError, type Locks } from '@holdfast/core';

/** Requests that are on their way at once: a server serves others in between. */
const AT_ONCE = 16;

/** Inspects keys, in their order. What another recipe stored under one is no lock of this store, and left out. */
export async function* inspectAll(
  locks: Pick<Locks, 'inspect'>,
  keys: readonly string[],
): AsyncGenerator<Inspection> {
  const inspect = async (key: string): Promise<Inspection | undefined> => {
    try {
      return await locks.inspect(key);
    } catch (error) {
      if (isLockError(error, 'FOREIGN_KEY')) return undefined;
      throw error;
    }
  };
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    const some = await Promise.all(keys.slice(at, at + AT_ONCE).map(inspect));
    yield* some.filter((each) => each !== undefined);
  }
}
