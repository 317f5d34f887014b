import type { HistoryEvent } from '@holdfast/core/backend';
import { belief, resource } from '@holdfast/harness/check';
import { type PlayResult, parseSchedule, type Schedule } from '@holdfast/harness/simulator';
import {
  BEFORE_CHECK,
  BEFORE_WRITE,
  DURABLE,
  isBroken,
  isInjected,
  isKept,
} from './exhibit-stories.ts';
import type { StoryRequest } from './extra-stories.ts';

/** Two clients request the key at once, and nothing goes wrong. */
const AT_ONCE: Schedule = parseSchedule({
  ...BEFORE_WRITE,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 20, renews: false },
    { id: 2, client: 'b', atMs: 10, holdMs: 20, renews: false },
  ],
  faults: [],
});

/** A has got the lock, and its claim is on the way until B has got the lock, and has claimed and read. */
const LATE_CLAIM: Schedule = parseSchedule({
  ...BEFORE_WRITE,
  faults: [
    { kind: 'delay', client: 'a', nodes: 1, way: 'request', label: 'claim', n: 1, ms: 1_200 },
  ],
});

/** A is paused right after its request, for no longer than a call may take, and then works until its lease is over. */
const SHORT_PAUSE: Schedule = parseSchedule({
  ...BEFORE_CHECK,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 1_500, renews: false },
    { id: 2, client: 'b', atMs: 950, holdMs: 100, renews: false },
  ],
  faults: [
    { kind: 'pause-acquire', client: 'a', when: { after: 'acquire', n: 5, by: 'a' }, ms: 90 },
  ],
});

/** The clock of A is as slow as the margin allows, and A works for as long as its lease lasts. */
const SLOW_CLOCK: Schedule = parseSchedule({
  ...BEFORE_CHECK,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 980, renews: false },
    { id: 2, client: 'b', atMs: 100, holdMs: 0, renews: false },
  ],
  faults: [{ kind: 'drift', client: 'a', ppm: -10_000 }],
});

/** A holds a bare majority, one server of which is away for so long and has forgotten everything then. */
function awayFor(ms: number): Schedule {
  const [, cut] = DURABLE.faults;
  return parseSchedule({
    ...DURABLE,
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: 900, renews: false },
      { id: 2, client: 'b', atMs: 400, holdMs: 100, renews: false },
    ],
    faults: [{ kind: 'restart-empty', nodes: 0b1, when: { atMs: 80 }, ms }, cut],
  });
}

/** Stories of those claims of the debate that no cell of the matrix is about. */
export const DEBATE_STORIES: readonly StoryRequest[] = [
  {
    name: 'redlock-one-look-pause',
    subject: 'redlock-one-look',
    fault: 'pause-acquire',
    shows: (played) => isBroken(played) && isInjected(played, 'pause-acquire'),
    from: SHORT_PAUSE,
    asIs: true,
  },
  {
    name: 'redlock-counters-backwards',
    subject: 'redlock-counters',
    fault: 'delay',
    fenced: true,
    shows: ({ history }) => resource(history, { fenced: true }).kind === 'violated',
  },
  {
    name: 'redlock-drift-within',
    subject: 'redlock',
    fault: 'drift',
    shows: (played) => isKept(played) && isInjected(played, 'drift'),
    from: SLOW_CLOCK,
    asIs: true,
  },
  {
    name: 'redlock-restart-early',
    subject: 'redlock',
    fault: 'restart-empty',
    shows: (played) => isBroken(played) && isInjected(played, 'restart-empty'),
    from: awayFor(100),
    asIs: true,
  },
  {
    name: 'redlock-restart-delayed',
    subject: 'redlock',
    fault: 'restart-empty',
    shows: (played) => isKept(played) && isInjected(played, 'restart-empty'),
    from: awayFor(1_100),
    asIs: true,
  },
  {
    name: 'claimed-pause',
    subject: 'redis-simple-claimed',
    fault: 'pause',
    fenced: true,
    shows: (played) => isInTurns(played) && refusedOf(played) === 'a',
    from: BEFORE_WRITE,
    asIs: true,
  },
  {
    name: 'claimed-late',
    subject: 'redis-simple-claimed',
    fault: 'delay',
    fenced: true,
    // The holder's write is rejected, and the client that evicted it writes nothing.
    shows: (played) => isInTurns(played) && !isBroken(played) && refusedOf(played) === 'b',
    from: LATE_CLAIM,
    asIs: true,
  },
  {
    name: 'fence-alone-refused',
    subject: 'fence-alone',
    fault: 'none',
    fenced: true,
    property: 'validity',
    shows: (played) => isBroken(played) && isInTurns(played) && refusedOf(played) === 'a',
    from: AT_ONCE,
    asIs: true,
  },
  {
    name: 'simple-at-once',
    subject: 'redis-simple',
    fault: 'none',
    fenced: true,
    property: 'validity',
    shows: (played) =>
      isKept(played) &&
      isInTurns(played) &&
      belief(played.history).kind === 'ok' &&
      refusedOf(played) === undefined,
    from: AT_ONCE,
    asIs: true,
  },
];

function isInTurns({ history }: PlayResult): boolean {
  return resource(history, { fenced: true }).kind === 'ok';
}

/** Returns the client whose write the resource with tokens rejected; undefined if none was. */
function refusedOf({ history }: PlayResult): string | undefined {
  return history.find(isRefused)?.client;
}

function isRefused(event: HistoryEvent): boolean {
  return event.type === 'write' && event.fenced && !event.accepted;
}
