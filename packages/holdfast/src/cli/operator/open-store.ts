import { CapabilityError, type Locks } from '@holdfast/core';
import { resolveSource } from '../../config/source.ts';
import { openParts } from '../../open-locks.ts';
import type { Arguments } from '../arguments.ts';
import type { Io } from '../io.ts';
import { sourceOf } from '../source-argument.ts';

/** A store as an operator sees it: whatever its fencing epoch, and without taking locks. */
export interface Store {
  readonly locks: Locks;
  /** Pages of keys that are held, or may be, each key once. @throws CapabilityError */
  keys(this: void): AsyncGenerator<readonly string[]>;
}

/** Opens the store that the options name, runs `act` with it, and closes it. */
export async function withStore(
  args: Arguments,
  io: Io,
  act: (store: Store) => Promise<number>,
): Promise<number> {
  const resolved = await resolveSource(sourceOf(args, io.env), { store: args.values.get('store') });
  const { locks, backend } = await openParts(resolved, { epoch: 'show' });
  async function* keys(): AsyncGenerator<readonly string[]> {
    if (backend.heldKeys === undefined)
      throw new CapabilityError(`${backend.name} cannot list the keys that are held`, {
        backend: backend.name,
      });
    const seen = new Set<string>();
    for await (const page of backend.heldKeys()) {
      const fresh = page.filter((key) => !seen.has(key));
      for (const key of fresh) seen.add(key);
      yield fresh;
    }
  }
  try {
    return await act({ locks, keys });
  } finally {
    await locks.close();
  }
}
