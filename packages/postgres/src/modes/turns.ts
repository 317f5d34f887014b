import type { Runtime } from '@holdfast/core';
import { DatabaseUnavailable } from '../port.ts';

/** The server runs transactions about one key one after the other: the next one is there when one ends, and more only wait. */
const AT_ONCE = 2;

/** Of the time of a call: what is left after that would hardly do. */
const WAIT_SHARE = 3 / 4;
const AWAITED = { awaited: true };

interface Turn {
  /** The monotonic time by which the call has to end. */
  readonly deadlineMs: number;
  /** True: before those that are not urgent. */
  readonly isUrgent: boolean;
}

interface Key {
  running: number;
  readonly urgent: (() => void)[];
  readonly others: (() => void)[];
}

/** Lets few calls about one key run at once: a crowd of waiters would take all connections of the pool, and time out in them. */
export class Turns {
  readonly #runtime: Runtime;
  readonly #keys = new Map<string, Key>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Runs a call when its turn comes. @throws DatabaseUnavailable if that is not before its deadline: nothing was sent then */
  async run<T>(name: string, turn: Turn, call: () => Promise<T>): Promise<T> {
    const key = this.#keys.get(name) ?? { running: 0, urgent: [], others: [] };
    this.#keys.set(name, key);
    if (key.running >= AT_ONCE) await this.#wait(key, turn);
    else key.running += 1;
    try {
      return await call();
    } finally {
      // A turn goes to the next one, or back.
      const next = key.urgent.shift() ?? key.others.shift();
      if (next !== undefined) next();
      else key.running -= 1;
      if (key.running === 0) this.#keys.delete(name);
    }
  }

  #wait(key: Key, { deadlineMs, isUrgent }: Turn): Promise<void> {
    const line = isUrgent ? key.urgent : key.others;
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        cancel();
        resolve();
      };
      const leftMs = Math.max(0, deadlineMs - this.#runtime.now().monotonicMs) * WAIT_SHARE;
      const cancel = this.#runtime.timer(
        leftMs,
        () => {
          line.splice(line.indexOf(begin), 1);
          reject(new DatabaseUnavailable('no turn among the calls about this key by the deadline'));
        },
        AWAITED,
      );
      line.push(begin);
    });
  }
}
