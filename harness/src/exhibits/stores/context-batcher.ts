import type { AcquireOptions, Lease, Locks } from '@holdfast/core';
import { createLocks } from '@holdfast/core/backend';
import { type ContextStorage, reentryBy } from '@holdfast/core/reentry';

/**
 * DO NOT USE. A sound lock with `reentrant: 'context'`, under an application that makes its batcher at the first use, inside
 * the body that needs it. All later work goes through the batcher.
 *
 * Where it comes from: pools, batchers and timers that are made lazily. `AsyncLocalStorage` gives what they run later the
 * context in which they were made.
 *
 * What breaks it: the work of another request runs in the context of the first one. It asks for the key, its context holds
 * the key, so it enters the same hold, beside the first.
 */
export const createBatched: typeof createLocks = (backend, host, options) => {
  const storage = new CallContext();
  const locks = createLocks(
    backend,
    { ...host, reentry: reentryBy({ storage, reenters: true }) },
    options,
  );
  return Object.assign(locks, { use: batchedUse(locks, storage) });
};

function batchedUse(locks: Pick<Locks, 'use'>, storage: ContextStorage) {
  const own: typeof locks.use = locks.use.bind(locks);
  let batch: (<T>(work: () => T) => T) | undefined;
  return <T>(
    key: string,
    body: (lease: Lease) => T | Promise<T>,
    options?: AcquireOptions,
  ): Promise<T> => {
    if (batch !== undefined) return batch(() => own(key, body, options));
    const first = (lease: Lease): T | Promise<T> => {
      const madeIn = storage.getStore();
      batch = (work) => storage.run(madeIn, work);
      return body(lease);
    };
    return own(key, first, options);
  };
}

/** `AsyncLocalStorage` for the part of a call up to its first await, which also works in a browser. */
class CallContext implements ContextStorage {
  #value: unknown;

  getStore(): unknown {
    return this.#value;
  }

  run<T>(value: unknown, body: () => T): T {
    const before = this.#value;
    this.#value = value;
    try {
      return body();
    } finally {
      this.#value = before;
    }
  }
}
