import { AsyncLocalStorage } from 'node:async_hooks';
import type { SimProcess } from '@holdfast/harness/simulator';

const running = new AsyncLocalStorage<SimProcess>();

/** Returns the simulated process whose code runs now; undefined for all other code on this thread. */
export function here(): SimProcess | undefined {
  return running.getStore();
}

/** Runs code as that process, with all that it causes asynchronously. */
export function inside<T>(process: SimProcess, run: () => T): T {
  return running.run(process, run);
}

/** Disables the tracking, which costs every promise on this thread time, until the next call of {@link inside}. */
export function forget(): void {
  running.disable();
}
