import { type Kernel, toUs } from './kernel.ts';

/** The latency of a call, each way; 0 by default. */
export interface CallLatency {
  readonly requestMs?: number;
  readonly replyMs?: number;
}

/** A call that leaves a process at `departUs`, by true time. */
export interface Call<T> {
  readonly label: string;
  readonly departUs: number;
  readonly effect: () => T | Promise<T>;
  readonly latency: CallLatency;
}

/** The process that makes a call. */
export interface Caller {
  readonly name: string;
  readonly crashed: boolean;
  wasAliveAt(atUs: number): boolean;
  deliver(label: string, run: () => void, delayMs?: number): void;
}

/** Sends a call; resolves or rejects at its caller with the result of the effect. */
export function send<T>(
  kernel: Kernel,
  caller: Caller,
  { label, departUs, effect, latency: { requestMs = 0, replyMs } }: Call<T>,
): Promise<T> {
  const cause = kernel.record(caller.name, 'send', label, departUs);
  return new Promise<T>((resolve, reject) => {
    const reply = (settle: () => void): void => caller.deliver(label, settle, replyMs);
    const run = (): boolean => {
      // The process kept running in the stalled step, but crashed before the stall was over: it never sent this.
      if (!caller.wasAliveAt(departUs)) return false;
      kernel.begin(caller.name, 'exec', label);
      return outcome(
        effect,
        (value) => reply(() => resolve(value)),
        (error) => reply(() => reject(error)),
      );
    };
    if (!caller.crashed) kernel.schedule(departUs + toUs(requestMs), run, { cause });
  });
}

/** Runs `effect` and passes its result on; returns true if that takes microtasks. */
function outcome<T>(
  effect: () => T | Promise<T>,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): boolean {
  let result: T | Promise<T>;
  try {
    result = effect();
  } catch (error) {
    reject(error);
    return false;
  }
  if (!(result instanceof Promise)) {
    resolve(result);
    return false;
  }
  result.then(resolve, reject);
  return true;
}
