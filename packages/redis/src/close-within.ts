import type { CloseOptions, Runtime } from '@holdfast/core';

/** How long `close` waits for what is owed and for the connections, unless told. */
const CLOSE_MS_DEFAULT = 5_000;

/** Ends a backend: resolves when `end` has, at the latest after `timeoutMs`; rejects as `end` does. */
export function closeWithin(
  runtime: Runtime,
  { timeoutMs = CLOSE_MS_DEFAULT }: CloseOptions,
  end: () => Promise<void>,
): Promise<void> {
  return new Promise((done, fail) => {
    const cancel = runtime.timer(timeoutMs, done, { awaited: true });
    end().finally(cancel).then(done, fail);
  });
}
