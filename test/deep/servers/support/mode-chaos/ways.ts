/** How a client holds: as a reader, as a writer, or with permits of a semaphore. */
export type Way = 'read' | 'write' | 1 | 2;

export const WAYS: readonly Way[] = ['read', 'read', 'write', 1, 2];
/** Of the semaphore. */
export const PERMITS = 3;

export function permitsOf(way: Way): number {
  return typeof way === 'number' ? way : 0;
}

export function excludes(one: Way, other: Way): boolean {
  if (typeof one === 'number' || typeof other === 'number') return false;
  return one === 'write' || other === 'write';
}
