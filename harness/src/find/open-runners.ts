import { backendUrl } from 'holdfast/internal';
import { builtInSubject } from '../locks/index.ts';
import { inlineRunner } from './inline-runner.ts';
import type { LockRunner } from './lock-runner.ts';
import { openThreadRunner } from './thread-runner.ts';

/**
 * Opens as many trials of one lock as there are jobs. Our own lock, alone, is tried in this thread; anybody else's code
 * might never yield, so it is kept apart.
 * @throws ConfigError where there is no such lock, or it does not work even undisturbed; StillError
 */
export async function openRunners(
  lock: string,
  folder: string,
  jobs: number,
): Promise<readonly LockRunner[]> {
  const ours = builtInSubject(lock);
  if (ours !== undefined && jobs === 1) return [inlineRunner(ours)];
  // Said at once, rather than by a thread that starts in vain.
  if (ours === undefined) backendUrl(lock, folder);
  return await Promise.all(Array.from({ length: jobs }, () => openThreadRunner(lock, folder)));
}
