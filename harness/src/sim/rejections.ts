/** Receives the reason of a promise that was rejected and not handled. */
export type RejectionListener = (reason: unknown) => void;

/** The part of Node's `process` that matters here; absent in browsers. */
interface Emitter {
  listeners(event: string): ((...args: unknown[]) => void)[];
  removeAllListeners(event: string): unknown;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
}

const EVENT = 'unhandledRejection';
const watching = new Set<RejectionListener>();
let foreign: ((...args: unknown[]) => void)[] = [];
let acting: RejectionListener | undefined;

/**
 * Takes over unhandled rejections until the returned function is called. Other listeners, such as a test runner's,
 * are removed meanwhile: a rejection in a simulation is the simulation's failure, and is reported once.
 */
export function watchRejections(listener: RejectionListener): () => void {
  if (watching.size === 0) installListener();
  watching.add(listener);
  return () => {
    watching.delete(listener);
    if (watching.size === 0) restoreListeners();
  };
}

/**
 * Sets the listener of the code that runs from here on: Node reports a rejection right after the microtasks of the
 * turn that caused it.
 */
export function runFor(listener: RejectionListener): void {
  acting = listener;
}

function report(reason: unknown): void {
  const listener = acting !== undefined && watching.has(acting) ? acting : [...watching][0];
  listener?.(reason);
}

function installListener(): void {
  const node = emitter();
  if (node === undefined) return;
  foreign = node.listeners(EVENT);
  node.removeAllListeners(EVENT);
  node.on(EVENT, report);
}

function restoreListeners(): void {
  const node = emitter();
  if (node === undefined) return;
  node.removeAllListeners(EVENT);
  for (const listener of foreign) node.on(EVENT, listener);
}

function emitter(): Emitter | undefined {
  const { process } = globalThis as { process?: Emitter };
  // Some bundlers leave a `process` that is no emitter.
  return typeof process?.removeAllListeners === 'function' ? process : undefined;
}
