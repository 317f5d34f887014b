import { type PlayResult, parseSchedule, type Schedule } from '@holdfast/harness/simulator';
import { isBroken, isInjected } from './exhibit-stories.ts';
import type { StoryRequest } from './extra-stories.ts';

/** Two hold both permits. The clock of C is ahead, so both look too old to it. */
const AHEAD: Schedule = parseSchedule({
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 500, renews: false },
    { id: 2, client: 'b', atMs: 50, holdMs: 500, renews: false },
    { id: 3, client: 'c', atMs: 300, holdMs: 100, renews: false },
  ],
  faults: [{ kind: 'client-clock', client: 'c', when: { atMs: 200 }, ms: 2_000 }],
});

/** A does not reach the third server, B not the first: each holds a majority, and so does C, of what is left. */
export const THREE_MAJORITIES: Schedule = parseSchedule({
  ...AHEAD,
  nodes: 3,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 600, renews: false },
    { id: 2, client: 'b', atMs: 120, holdMs: 500, renews: false },
    { id: 3, client: 'c', atMs: 300, holdMs: 100, renews: false },
  ],
  faults: [
    { kind: 'client-cut', client: 'a', nodes: 0b100, when: { atMs: 0 }, ms: 2_000, way: 'both' },
    { kind: 'client-cut', client: 'b', nodes: 0b1, when: { atMs: 0 }, ms: 2_000, way: 'both' },
  ],
});

/** B reads before A has read to the end. C wants to write all the while, for as long as anybody waits here: a minute. */
export const READERS_WITHOUT_GAP: Schedule = parseSchedule({
  ...AHEAD,
  ttlMs: 60_000,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 40_000, renews: false },
    { id: 2, client: 'b', atMs: 30_000, holdMs: 45_000, renews: false },
    { id: 3, client: 'c', atMs: 10_000, holdMs: 100, renews: false },
  ],
  faults: [],
});

/** Two requests in one process. */
export const ONE_PROCESS: Schedule = parseSchedule({
  ...AHEAD,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 500, renews: false },
    { id: 2, client: 'a', atMs: 100, holdMs: 100, renews: false },
  ],
  faults: [],
});

export const BODIES: Schedule = parseSchedule({
  ...ONE_PROCESS,
  ops: ONE_PROCESS.ops.map((op) => ({ ...op, as: 'body' })),
});

/** Of mistakes with re-entry, readers and permits. */
export const FAMILY_STORIES: readonly StoryRequest[] = [
  {
    name: 'semaphore-client-clock',
    subject: 'semaphore-by-clients',
    fault: 'client-clock',
    shows: (played) => isBroken(played) && isInjected(played, 'client-clock'),
    from: AHEAD,
    asIs: true,
  },
  {
    name: 'semaphore-majorities',
    subject: 'semaphore-by-majority',
    fault: 'client-cut',
    shows: (played) => isBroken(played) && isInjected(played, 'client-cut'),
    from: THREE_MAJORITIES,
    asIs: true,
  },
  {
    name: 'writer-starved',
    subject: 'readers-first',
    fault: 'none',
    property: 'liveness',
    shows: (played) => !isBroken(played) && isNeverServed(played, 'c'),
    from: READERS_WITHOUT_GAP,
    asIs: true,
  },
  {
    name: 'reentrant-two-requests',
    subject: 'reentrant-by-key',
    fault: 'none',
    shows: isBroken,
    from: ONE_PROCESS,
    asIs: true,
  },
  {
    name: 'context-batcher',
    subject: 'context-batcher',
    fault: 'none',
    shows: isBroken,
    from: BODIES,
    asIs: true,
  },
];

function isNeverServed({ complaints }: PlayResult, client: string): boolean {
  return complaints.some((complaint) => complaint.startsWith(`${client} never got its turn`));
}
