import type { Runtime } from '@holdfast/core';
import { DatabaseUnavailable } from '../port.ts';

/**
 * The server runs transactions about one key one after the other, so another one at the same time would only wait there; and
 * what comes until this one has ended goes with the next. Only one whose reply does not come is not waited for.
 */
const SLOW_MS = 100;
/** Of the time of a call, if that is less: whoever waits then still has a turn. */
const SLOW_SHARE = 1 / 4;
const AT_ONCE = 2;

/** Of the time of a call: what is left after that would hardly do. */
const WAIT_SHARE = 3 / 4;
const AWAITED = { awaited: true };

export interface Turn {
  /** The monotonic time by which the call has to end. */
  readonly deadlineMs: number;
  /** True: before those that are not urgent. */
  readonly isUrgent: boolean;
}

interface Key {
  running: number;
  /** Of those that run. */
  slow: number;
  readonly urgent: (() => void)[];
  readonly others: (() => void)[];
}

/** Lets calls about one key run one after the other: a crowd would take all connections of the pool. */
export class Turns {
  readonly #runtime: Runtime;
  readonly #keys = new Map<string, Key>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Runs a call when its turn comes. @throws DatabaseUnavailable if that is not before its deadline: nothing was sent then */
  async run<T>(name: string, turn: Turn, call: () => Promise<T>): Promise<T> {
    const key = this.#keys.get(name) ?? { running: 0, slow: 0, urgent: [], others: [] };
    this.#keys.set(name, key);
    if (mayBegin(key)) key.running += 1;
    else await this.#wait(key, turn);
    let isSlow = false;
    const leftMs = turn.deadlineMs - this.#runtime.now().monotonicMs;
    const cancel = this.#runtime.timer(
      Math.min(SLOW_MS, Math.max(0, leftMs * SLOW_SHARE)),
      () => {
        isSlow = true;
        key.slow += 1;
        beginNext(key);
      },
      AWAITED,
    );
    try {
      return await call();
    } finally {
      cancel();
      key.running -= 1;
      if (isSlow) key.slow -= 1;
      beginNext(key);
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

function mayBegin({ running, slow }: Key): boolean {
  return running === slow && running < AT_ONCE;
}

function beginNext(key: Key): void {
  if (!mayBegin(key)) return;
  const next = key.urgent.shift() ?? key.others.shift();
  if (next === undefined) return;
  key.running += 1;
  next();
}
