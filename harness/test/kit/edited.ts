import { openerOf } from '../../src/find/built-sources.ts';
import type { StoryCode, Subject } from '../../src/simulator/index.ts';

/** The lock of edited code, over the files of its package as they were built. */
export function editedLock(lock: string, code: StoryCode): Promise<Subject> {
  return openerOf(lock, code)();
}
