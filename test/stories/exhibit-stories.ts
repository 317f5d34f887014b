import type { FaultId } from '@holdfast/core/backend';
import { belief, mutualExclusion, resource } from '@holdfast/harness/check';
import { type PlayResult, parseSchedule, type Schedule } from '@holdfast/harness/simulator';
import type { StoryRequest } from './extra-stories.ts';

/** A works for half as long again as its key stays; nothing else goes wrong. */
const LONG_WORK: Schedule = parseSchedule({
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 1_500, renews: false },
    { id: 2, client: 'b', atMs: 500, holdMs: 100, renews: false },
  ],
  faults: [],
});

/** Of every exhibit the story of what breaks it, under a fault that does no harm to the one after it. */
export const EXHIBIT_STORIES: readonly StoryRequest[] = [
  stuck('setnx-del-crash', 'setnx-del'),
  stuck('setnx-expire-crash', 'setnx-expire'),
  broken('set-nx-fixed-late-del', 'set-nx-fixed', 'delay'),
  broken('set-nx-same-id-late-release', 'set-nx-same-id', 'delay'),
  broken('set-nx-get-del-between', 'set-nx-get-del', 'delay'),
  broken('set-nx-lua-pause', 'set-nx-lua', 'pause'),
  { ...broken('set-nx-lua-long-work', 'set-nx-lua', 'none'), from: LONG_WORK },
];

/** A is paused right after its requests to all five nodes: the replies wait for longer than the lease lasts. */
export const BEFORE_CHECK: Schedule = parseSchedule({
  ...LONG_WORK,
  nodes: 5,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 0, renews: false },
    { id: 2, client: 'b', atMs: 98, holdMs: 0, renews: false },
  ],
  faults: [
    { kind: 'pause-acquire', client: 'a', when: { after: 'acquire', n: 5, by: 'a' }, ms: 1_100 },
  ],
});

/** A is paused right before it writes, for long enough for B to acquire the key and to read. */
export const BEFORE_WRITE: Schedule = parseSchedule({
  ...LONG_WORK,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 20, renews: false },
    { id: 2, client: 'b', atMs: 10, holdMs: 300, renews: false },
  ],
  faults: [{ kind: 'pause', client: 'a', when: { before: 'write', n: 1, by: 'a' }, ms: 1_200 }],
});

/** A holds a bare majority, and one server of it restarts with its data. */
export const DURABLE: Schedule = parseSchedule({
  ...BEFORE_CHECK,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 300, renews: false },
    { id: 2, client: 'b', atMs: 290, holdMs: 100, renews: false },
  ],
  faults: [
    { kind: 'restart-durable', nodes: 0b1, when: { atMs: 80 }, ms: 10 },
    { kind: 'client-cut', client: 'a', nodes: 0b11000, when: { atMs: 0 }, ms: 270, way: 'both' },
  ],
});

/** Stories of lessons about locks that keep their promises. */
export const LESSON_STORIES: readonly StoryRequest[] = [
  {
    name: 'redlock-pause-before-check',
    subject: 'redlock',
    fault: 'pause-acquire',
    // Nothing was granted to A before it had looked at the clock again.
    shows: (played) => isKept(played) && isInjected(played, 'pause-acquire'),
    from: BEFORE_CHECK,
    asIs: true,
  },
  {
    name: 'simple-pause-fenced',
    subject: 'redis-simple',
    fault: 'pause',
    fenced: true,
    shows: ({ history }) =>
      resource(history, { fenced: true }).kind === 'ok' &&
      history.some((event) => event.type === 'write' && event.fenced && !event.accepted),
    from: BEFORE_WRITE,
    asIs: true,
  },
  {
    name: 'redlock-one-restart-durable',
    subject: 'redlock',
    fault: 'restart-durable',
    shows: (played) => isKept(played) && isInjected(played, 'restart-durable'),
    from: DURABLE,
    asIs: true,
  },
];

export function isKept({ history }: PlayResult): boolean {
  return mutualExclusion(history).kind === 'ok' && belief(history).kind === 'ok';
}

export function isInjected({ injections }: PlayResult, fault: FaultId): boolean {
  return injections.some(({ kind }) => kind === fault);
}

function stuck(name: string, subject: string): StoryRequest {
  return { name, subject, fault: 'holder-crash', property: 'liveness', shows: isStuck };
}

function broken(name: string, subject: string, fault: FaultId): StoryRequest {
  return { name, subject, fault, shows: isBroken };
}

function isStuck({ complaints }: PlayResult): boolean {
  return complaints.length > 0;
}

export function isBroken({ history }: PlayResult): boolean {
  return mutualExclusion(history).kind !== 'ok';
}
