import type { Subject } from '../simulator/index.ts';
import type { LockUnderTest } from './lock.ts';

/** A lock on so many servers, as the simulator tries it. */
export function subjectOn(
  { needs, open, promises, wire }: LockUnderTest,
  name: string,
  nodes: number,
): Subject {
  return {
    name,
    nodes,
    ...(needs === 'zookeeper' ? { ensemble: true } : {}),
    ...promises,
    ...wire,
    ...(open === undefined ? {} : { open: (view, host) => open(view, host) }),
  };
}
