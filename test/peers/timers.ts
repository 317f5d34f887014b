import type { SimProcess } from '@holdfast/harness/simulator';
import { inside } from './current-process.ts';

type Callback = (...args: unknown[]) => void;

/** As Node has it: what is no proper delay is the shortest one. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/** The result of `setTimeout` in a simulated process. Nothing keeps such a process alive, so `ref` has no effect. */
class SimTimer {
  readonly #process: SimProcess;
  readonly #run: () => void;
  #cancel: () => void = () => {};

  constructor(process: SimProcess, run: () => void) {
    this.#process = process;
    this.#run = run;
  }

  start(ms: number): this {
    this.#cancel();
    this.#cancel = this.#process.runtime.timer(ms, () => inside(this.#process, this.#run));
    return this;
  }

  stop(): void {
    this.#cancel();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

export function timeout(
  process: SimProcess,
  run: Callback,
  ms?: number,
  ...args: unknown[]
): SimTimer {
  return new SimTimer(process, () => run(...args)).start(delay(ms));
}

export function interval(
  process: SimProcess,
  run: Callback,
  ms?: number,
  ...args: unknown[]
): SimTimer {
  const timer = new SimTimer(process, () => {
    timer.start(delay(ms));
    run(...args);
  });
  return timer.start(delay(ms));
}

export function soon(process: SimProcess, run: Callback, ...args: unknown[]): SimTimer {
  return new SimTimer(process, () => run(...args)).start(0);
}

/** `setTimeout` of `node:timers/promises`. */
export function nap<T>(process: SimProcess, ms?: number, value?: T): Promise<T | undefined> {
  return new Promise((resolve) => {
    timeout(process, () => resolve(value), ms);
  });
}

/** `AbortSignal.timeout`. */
export function expiry(process: SimProcess, ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  timeout(process, () => controller.abort(reason), ms);
  return controller.signal;
}

export function clear(timer: unknown): void {
  if (timer instanceof SimTimer) timer.stop();
}

function delay(ms: number = 1): number {
  return ms >= 1 && ms <= DELAY_MS_MAX ? Math.trunc(ms) : 1;
}
