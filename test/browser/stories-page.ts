import { parseStoryText, play } from '@holdfast/harness/simulator';
import { builtInSubject } from '../../harness/test/kit/locks.ts';

/** Runs in the page: plays stories as they are kept, and returns the hashes of their traces. */
export async function hashesOf(stories: readonly string[]): Promise<readonly string[]> {
  const hashes: string[] = [];
  for (const text of stories) {
    const { backend, schedule } = parseStoryText(text);
    const subject = builtInSubject(backend);
    if (subject === undefined) throw new Error(`unknown lock "${backend}"`);
    const { hash = 'none' } = await play(schedule, subject, { trace: true });
    hashes.push(hash);
  }
  return hashes;
}
