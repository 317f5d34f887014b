import type { Runtime } from '@holdfast/core';

/**
 * Returns the outcome of `work`, or rejects with the error of `late` at the deadline. The timer keeps the process alive,
 * since a caller waits. What comes after the deadline goes to `onLate`.
 */
export function byDeadline<T>(
  runtime: Runtime,
  deadlineMs: number,
  work: Promise<T>,
  late: { readonly error: () => Error; readonly onLate?: (result: T) => void },
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const ms = deadlineMs - runtime.now().monotonicMs;
    const end = (): void => {
      isLate = true;
      reject(late.error());
    };
    const cancel = runtime.timer(ms, end, { awaited: true });
    work.then(
      (result) => {
        cancel();
        if (isLate) late.onLate?.(result);
        else resolve(result);
      },
      (cause: unknown) => {
        cancel();
        reject(cause);
      },
    );
  });
}
