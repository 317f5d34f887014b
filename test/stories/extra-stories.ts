import type { FaultId } from '@holdfast/core/backend';
import { mutualExclusion, overlapMs, resource } from '@holdfast/harness/check';
import {
  BATCH,
  batchOf,
  minimise,
  type PlayResult,
  parseSchedule,
  play,
  type Schedule,
  type Story,
  type StoryProperty,
  type Subject,
  schedulesFor,
} from '@holdfast/harness/simulator';
import { builtInSubject } from '../../harness/test/kit/locks.ts';
import { setupOf, violationOf } from '../../harness/test/kit/search.ts';
import { exchanges } from './exchanges.ts';
import { EXHIBIT_STORIES, LESSON_STORIES } from './exhibit-stories.ts';
import { FAMILY_STORIES } from './family-stories.ts';
import { DEBATE_STORIES } from './redlock-debate-stories.ts';
import { STORE_EXHIBIT_STORIES } from './store-exhibit-stories.ts';

/** A story on a page that no cell of the matrix needs: of a flaw that another one hides, or that breaks nothing. */
export interface StoryRequest {
  readonly name: string;
  readonly subject: string;
  readonly fault: FaultId;
  /** True for a story about the resource that compares tokens, instead of the lock. */
  readonly fenced?: true;
  /** The property that it is about; validity by default. */
  readonly property?: StoryProperty;
  /** True if the run, played with its trace, shows what the page is about. */
  readonly shows: (played: PlayResult) => boolean;
  /** A schedule to minimise, if no generated schedule shows it. */
  readonly from?: Schedule;
  /** Kept as it is: a schedule in which nothing happens cannot be minimised. */
  readonly asIs?: true;
}

/** Waiting for this share of a ttl counts as being out of service. */
const LONG = 0.9;
const PLAIN_MS = 50;

/** B finds the stamp of A, which died, expired, and is late with its own; C requests the key meanwhile. None of 12 000
 * schedules of both faults is like that. */
const OVERWRITTEN: Schedule = parseSchedule({
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 500, renews: false },
    { id: 2, client: 'b', atMs: 300, holdMs: 0, renews: false },
    { id: 3, client: 'c', atMs: 1_400, holdMs: 900, renews: false },
  ],
  faults: [
    { kind: 'holder-crash', client: 'a', when: { atMs: 100 } },
    { kind: 'delay', client: 'b', nodes: 1, way: 'request', label: 'GETSET', n: 1, ms: 700 },
  ],
});

/** A is cut from two of five nodes, so its lock is stored on no more than a majority. */
const BARE_MAJORITY: Schedule = parseSchedule({
  ...OVERWRITTEN,
  nodes: 5,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 300, renews: false },
    { id: 2, client: 'b', atMs: 100, holdMs: 100, renews: false },
  ],
  faults: [
    { kind: 'server-clock-forward', nodes: 0b1, when: { atMs: 80 }, ms: 1_500 },
    { kind: 'client-cut', client: 'a', nodes: 0b11000, when: { atMs: 0 }, ms: 5_000, way: 'both' },
  ],
});

/** The same, and one node of the majority restarts without its data. */
const BARE_MAJORITY_RESTART: Schedule = parseSchedule({
  ...BARE_MAJORITY,
  faults: [
    { kind: 'restart-empty', nodes: 0b1, when: { atMs: 80 }, ms: 0 },
    ...BARE_MAJORITY.faults.slice(1),
  ],
});

/** Each side of a split serves one of two clients whose requests are sent in one microsecond. */
const AT_ONCE: Schedule = parseSchedule({
  ...OVERWRITTEN,
  replicas: 1,
  ops: [
    { id: 1, client: 'a', atMs: 50, holdMs: 100, renews: false },
    { id: 2, client: 'b', atMs: 50, holdMs: 300, renews: false },
  ],
  faults: [{ kind: 'split-brain', nodes: 1, when: { atMs: 10 }, ms: 2_000, stay: 'a' }],
});

/** A majority that has agreed on A's creation comes back empty; the third, which was down, has never heard of it. */
const WIPED_MAJORITY: Schedule = parseSchedule({
  ...OVERWRITTEN,
  nodes: 3,
  replicas: 1,
  ops: [
    { id: 1, client: 'a', atMs: 60, holdMs: 600, renews: false },
    { id: 2, client: 'b', atMs: 80, holdMs: 0, renews: false },
  ],
  faults: [
    { kind: 'restart-empty', nodes: 0b110, when: { atMs: 200 }, ms: 0 },
    { kind: 'restart-durable', nodes: 0b1, when: { atMs: 0 }, ms: 200 },
  ],
});

/** A second of A's is two of the leader's, and the leader hears no more of A: of a clock alone pings would make nothing. */
const SLOW_HOLDER: Schedule = parseSchedule({
  ...OVERWRITTEN,
  nodes: 3,
  ops: [
    { id: 1, client: 'a', atMs: 60, holdMs: 1_500, renews: false },
    { id: 2, client: 'b', atMs: 80, holdMs: 200, renews: false },
  ],
  faults: [
    { kind: 'drift', client: 'a', ppm: -500_000 },
    { kind: 'client-cut', client: 'a', nodes: 0b111, when: { atMs: 90 }, ms: 3_000, way: 'both' },
  ],
  ensemble: { ticks: 10, syncLimit: 5, reapMs: 60_000 },
});

export const EXTRA_STORIES: readonly StoryRequest[] = [
  {
    name: 'simple-same-token',
    subject: 'redis-simple',
    fault: 'split-brain',
    fenced: true,
    shows: ({ history }) => resource(history, { fenced: true }).kind === 'violated',
    from: AT_ONCE,
  },
  {
    name: 'zk-wiped-majority',
    subject: 'zk',
    fault: 'restart-empty',
    shows: (played) =>
      isBroken(played) &&
      isPlain(played) &&
      played.injections.some(({ kind }) => kind === 'restart-empty'),
    from: WIPED_MAJORITY,
  },
  {
    name: 'zk-leader-clock',
    subject: 'zk',
    fault: 'drift',
    shows: (played) =>
      overlapMs(played.history, 'validity') >= PLAIN_MS &&
      played.injections.some(({ kind }) => kind === 'drift'),
    from: SLOW_HOLDER,
  },
  {
    name: 'getset-overwritten',
    subject: 'redis-getset',
    fault: 'delay',
    shows: (played) => isBroken(played) && isOverwritten(played),
    from: OVERWRITTEN,
  },
  {
    name: 'getset-same-stamp',
    subject: 'redis-getset',
    fault: 'holder-crash',
    shows: (played) => !isBroken(played) && isSameStamp(played),
  },
  {
    name: 'getset-lost-reply',
    subject: 'redis-getset',
    fault: 'lost-reply',
    shows: (played) => !isBroken(played) && isOwnWait(played),
  },
  {
    name: 'getset-vanished',
    subject: 'redis-getset',
    fault: 'none',
    shows: (played) => !isBroken(played) && hasVanished(played),
  },
  {
    name: 'redlock-one-clock',
    subject: 'redlock',
    fault: 'server-clock-forward',
    shows: (played) => isBroken(played) && strikesOne(played, 'server-clock-forward'),
    from: BARE_MAJORITY,
  },
  {
    name: 'redlock-one-restart',
    subject: 'redlock',
    fault: 'restart-empty',
    shows: (played) => isBroken(played) && strikesOne(played, 'restart-empty'),
    from: BARE_MAJORITY_RESTART,
  },
  ...EXHIBIT_STORIES,
  ...LESSON_STORIES,
  ...DEBATE_STORIES,
  ...STORE_EXHIBIT_STORIES,
  ...FAMILY_STORIES,
];

function isBroken({ history }: PlayResult): boolean {
  return mutualExclusion(history).kind !== 'ok';
}

/** Of two clients that write, the stamp of the second replaces a later one. */
function isOverwritten(played: PlayResult): boolean {
  const takers = exchanges(played, 'GETSET');
  return takers.some((one, i) =>
    takers.slice(i + 1).some((two) => one.by !== two.by && two.stamp < one.stamp),
  );
}

/** Two clients that found one old stamp expired wrote equal new ones. */
function isSameStamp(played: PlayResult): boolean {
  const takers = exchanges(played, 'GETSET');
  return takers.some((one) => takers.some((two) => one.by < two.by && one.stamp === two.stamp));
}

/** The first works on for long enough beside the second to be seen in a picture. */
function isPlain({ history }: PlayResult): boolean {
  const [first, second] = history.filter(({ type }) => type === 'granted');
  const exit = history.find(({ type, client }) => type === 'exit' && client === first?.client);
  return exit !== undefined && second !== undefined && exit.atMs - second.atMs >= PLAIN_MS;
}

/** Two clients wait for most of a ttl, one of them for its own stamp, while no client holds. */
function isOwnWait(played: PlayResult): boolean {
  const { injections, history, schedule } = played;
  const [injection] = injections;
  const granted = history.find(({ type }) => type === 'granted');
  if (injection === undefined || granted === undefined || schedule.ops.length < 2) return false;
  const looked = exchanges(played, 'GET').filter(({ atMs }) => atMs < granted.atMs);
  return (
    granted.atMs - injection.atMs >= LONG * schedule.ttlMs &&
    looked.some(({ by }) => injection.actors.includes(by))
  );
}

/** GET found nothing where SETNX had found something. */
function hasVanished(played: PlayResult): boolean {
  return exchanges(played, 'GET').some(({ reply }) => reply === 'null');
}

function strikesOne(
  { schedule }: PlayResult,
  kind: 'server-clock-forward' | 'restart-empty',
): boolean {
  return schedule.faults.some((fault) => fault.kind === kind && isOne(fault.nodes ?? 0));
}

function isOne(mask: number): boolean {
  return Number.isInteger(Math.log2(mask));
}

const BUDGET = 20_000;

/** Searches as `find` does, with seed 1, and minimises. */
export async function madeOf(request: StoryRequest): Promise<Story> {
  const shows = async (schedule: Schedule): Promise<boolean> =>
    request.shows(await play(schedule, subjectOf(request), { trace: true }));
  for (const schedule of request.from === undefined ? schedulesOf(request) : [request.from])
    if (await shows(schedule))
      return await storyOf(
        request,
        request.asIs === true ? schedule : (await minimise(schedule, shows)).schedule,
      );
  throw new Error(`nothing that was played shows ${request.name}`);
}

function* schedulesOf(request: StoryRequest): Generator<Schedule> {
  const schedules = schedulesFor([request.fault], setupOf({ subject: subjectOf(request) }));
  for (let batch = 0; batch * BATCH < BUDGET; batch++) yield* batchOf(schedules, 1, batch);
}

/** Plays a schedule and returns its story. @throws Error if it no longer shows what the page says */
export async function storyOf(request: StoryRequest, schedule: Schedule): Promise<Story> {
  const played = await play(schedule, subjectOf(request), { trace: true });
  if (!request.shows(played)) throw new Error(`${request.name} shows something else now`);
  const { subject: backend, fault, fenced = false } = request;
  const property = request.property ?? (fenced ? 'resource' : 'validity');
  const kind = violationOf(played, { property, fenced })?.kind ?? 'ok';
  const expect: Story['expect'] = { kind, hash: played.hash ?? '' };
  return { v: 1, backend, fault, fenced, property, schedule, expect };
}

function subjectOf({ subject: name }: StoryRequest): Subject {
  const subject = builtInSubject(name);
  if (subject === undefined) throw new Error(`unknown lock "${name}"`);
  return subject;
}
