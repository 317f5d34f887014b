/**
 * The timers of this process that are set and neither over nor cleared, also those that do not keep it alive, which Node does
 * not list. Imported first, it counts those of all libraries.
 */
export const timers: Set<unknown> = new Set();

const { setTimeout: set, clearTimeout: clear } = globalThis;

function counted(
  run: (...args: unknown[]) => void,
  ms?: number,
  ...args: unknown[]
): NodeJS.Timeout {
  const timer = set(() => {
    timers.delete(timer);
    run(...args);
  }, ms);
  timers.add(timer);
  return timer;
}

Object.assign(globalThis, { setTimeout: Object.assign(counted, set) });
globalThis.clearTimeout = (timer) => {
  timers.delete(timer);
  clear(timer);
};
