import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 1;

/**
 * Resolves once no thread of a process runs any more: SIGSTOP only asks for that, and a thread on another core may answer
 * one more request. Without /proc it resolves at once.
 */
export async function paused(pid: number): Promise<void> {
  while (!isPaused(`/proc/${pid}/task`)) await sleep(LOOK_MS);
}

function isPaused(tasks: string): boolean {
  if (!existsSync(tasks)) return true;
  try {
    return readdirSync(tasks).every((id) => {
      // The name of the thread, in parentheses, may contain anything.
      const [state] = readFileSync(`${tasks}/${id}/stat`, 'utf8').split(') ').slice(-1);
      return state?.startsWith('T') === true;
    });
  } catch {
    // A thread has just ended, so they do run.
    return false;
  }
}
