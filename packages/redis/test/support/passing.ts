import type { VirtualRuntime } from '../../../core/test/kit/virtual-runtime.ts';

/** Lets time pass, ms by ms, until `work` is settled. */
export async function passing<T>(runtime: VirtualRuntime, work: Promise<T>): Promise<T> {
  const state = { isSettled: false };
  const settle = (): void => {
    state.isSettled = true;
  };
  work.then(settle, settle);
  while (!state.isSettled) await runtime.pass(1);
  return await work;
}
