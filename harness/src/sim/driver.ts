/** Runs events until user code may have been woken; returns false when no event is left. */
export type RunTurn = () => boolean;

/**
 * Takes turns until one returns false, with a macrotask boundary between any two. Only such a boundary guarantees
 * that all microtasks have run. `rest` is called before foreign code may run on this thread.
 */
export type Driver = (turn: RunTurn, rest: () => void) => Promise<void>;

// Read before a test can fake them. Browsers have no `setImmediate`, whatever the types say.
const immediate = globalThis.setImmediate;
const Channel = globalThis.MessageChannel;

/** A short scenario should not pay for immediates it does not use. */
const BATCH_MIN = 8;
const BATCH_MAX = 64;

/**
 * Node: queues many immediates at once, one turn each. Node (≥ 11) runs all microtasks between two immediates of one
 * batch. A batch costs a third of queueing them one by one.
 */
export const immediateDriver: Driver = (turn, rest) =>
  new Promise((resolve) => {
    let size = BATCH_MIN;
    let going = true;
    const next = (): void => {
      if (!going || turn()) return;
      going = false;
      resolve();
    };
    const batch = (): void => {
      for (let i = 0; i < size; i++) immediate(next);
      immediate(() => {
        rest();
        if (going) batch();
      });
      size = Math.min(BATCH_MAX, size * 2);
    };
    batch();
  });

/** Browsers: one message a turn; batches do not help there. */
export const channelDriver: Driver = (turn, rest) =>
  new Promise((resolve) => {
    const { port1, port2 } = new Channel();
    const next = (): void => {
      if (turn()) {
        port2.postMessage(null);
        return;
      }
      rest();
      port1.close();
      resolve();
    };
    port1.addEventListener('message', next);
    port1.start();
    port2.postMessage(null);
  });

export const defaultDriver: Driver =
  typeof immediate === 'function' ? immediateDriver : channelDriver;
