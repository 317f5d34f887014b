import { deploymentOf, type LockUnderTest, lockOf } from '../locks/index.ts';

/** How the package of a built-in lock is edited; undefined if it cannot be, or the column opens it in its own way. */
export function editingOf(backend: string): LockUnderTest['edited'] {
  return deploymentOf(backend)?.open === undefined ? lockOf(backend)?.edited : undefined;
}
