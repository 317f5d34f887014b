import { parseSchedule, type Schedule } from '@holdfast/harness/simulator';
import { isBroken, isInjected } from './exhibit-stories.ts';
import type { StoryRequest } from './extra-stories.ts';

/** A is cut off when the server restarts, so it does not hear that its session has ended. */
const UNHEARD: Schedule = parseSchedule({
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 800, renews: true },
    { id: 2, client: 'b', atMs: 300, holdMs: 100, renews: true },
  ],
  faults: [
    { kind: 'client-cut', client: 'a', nodes: 1, when: { atMs: 100 }, ms: 2_000, way: 'both' },
    { kind: 'restart-durable', nodes: 1, when: { atMs: 150 }, ms: 20 },
  ],
});

/** Of locks on PostgreSQL and etcd that have no column in the matrix. */
export const STORE_EXHIBIT_STORIES: readonly StoryRequest[] = [
  { name: 'advisory-pooled', subject: 'advisory-pooled', fault: 'none', shows: isBroken },
  {
    name: 'advisory-unheard',
    subject: 'postgres-advisory',
    fault: 'restart-durable',
    shows: (played) => isBroken(played) && isInjected(played, 'restart-durable'),
    from: UNHEARD,
    asIs: true,
  },
  { name: 'postgres-now', subject: 'postgres-now', fault: 'none', shows: isBroken },
  {
    name: 'etcd-unchecked-pause',
    subject: 'etcd-unchecked',
    fault: 'pause-acquire',
    shows: isBroken,
  },
];
