import { AsyncLocalStorage } from 'node:async_hooks';
import type { SimProcess } from '@holdfast/harness/simulator';

const running = new AsyncLocalStorage<SimProcess>();

/** The simulated process whose code runs at this moment; undefined for everybody else on this thread. */
export function here(): SimProcess | undefined {
  return running.getStore();
}

/** Runs somebody's code as that process, with whatever follows from it. */
export function inside<T>(process: SimProcess, run: () => T): T {
  return running.run(process, run);
}

/** Costs every promise on this thread something until somebody is inside again. */
export function forget(): void {
  running.disable();
}
