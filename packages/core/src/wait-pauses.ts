import type { Busy } from './attempt-log.ts';
import type { Contender } from './port.ts';
import type { Runtime } from './runtime.ts';
import type { WakeableSleep } from './wakeable-sleep.ts';

/** Poll interval for a backend that neither says when to retry nor notifies its waiters. */
const POLL_MS = 100;
const BACKOFF_MS_MIN = 50;
const BACKOFF_MS_MAX = 2_000;
/** Shortest pause before a retry, so that `retryAfterMs: 0` does not cause a hot loop. */
const RETRY_MS_MIN = 1;
/** Poll interval of a wait without end; its timer keeps the process alive. */
const IDLE_MS_MAX = 3_600_000;

/** Who sleeps, and what wakes it. */
interface Sleeper {
  readonly runtime: Runtime;
  readonly sleep: WakeableSleep;
  readonly contender: Contender;
}

/** Sleeps while another client has the key: until it may have changed, or until the backend wants to be asked again. */
export async function sleepWhileBusy(
  busy: Busy,
  leftMs: number,
  { runtime, sleep, contender }: Sleeper,
): Promise<void> {
  const canWake = sleep.canBeWokenBy(contender);
  const pollMs = canWake ? IDLE_MS_MAX : POLL_MS * (0.5 + runtime.random());
  const notBeforeMs = Math.min(leftMs, busy.notBeforeMs ?? 0);
  const sleepMs = Math.max(
    notBeforeMs,
    Math.min(leftMs, Math.max(RETRY_MS_MIN, busy.retryAfterMs ?? pollMs)),
  );
  const fromMs = runtime.now().monotonicMs;
  await sleep.sleep(sleepMs, contender);
  const restMs = notBeforeMs - (runtime.now().monotonicMs - fromMs);
  if (restMs > 0) await sleep.sleep(restMs);
}

/** Doubles with every failure in a row, with jitter, so that not all waiters reach a recovering store at once. */
export function backoffMs(failures: number, runtime: Runtime): number {
  const ms = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(failures - 1, 10));
  return ms * (0.5 + runtime.random() / 2);
}
