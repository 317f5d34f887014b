import { judge } from '../../src/check/index.ts';
import type { Actor, Message, Scene, StoredHolder } from '../../src/draw/index.ts';
import { type Line, story } from '../check/support/story.ts';

const EPOCH_MS = 1_735_689_600_000;

export function actor(id: string, kind: Actor['kind'], aheadMs = 0): Actor {
  return { id, kind, clock: [{ atMs: 0, wallMs: EPOCH_MS + aheadMs }] };
}

/** One way, a millisecond under way. */
export function message(
  from: string,
  to: string,
  label: string,
  sentMs: number,
  more: Partial<Message> = {},
): Message {
  return { from, to, label, sentMs, arrivedMs: sentMs + 1, ...more };
}

function held(
  node: string,
  owner: string,
  fromMs: number,
  untilMs: number,
  end?: StoredHolder['end'],
): StoredHolder {
  return { node, key: 'k', owner, fromMs, untilMs, end };
}

function scene(
  parts: Omit<Scene, 'verdicts' | 'history'> & { readonly lines: readonly Line[] },
): Scene {
  const { lines, ...rest } = parts;
  const history = story(...lines);
  return {
    ...rest,
    history,
    verdicts: judge(history).filter(
      ({ property }) => property !== 'resource' || rest.property === 'resource',
    ),
  };
}

/** The master dies before its replica has heard of the lock. */
export const failover: Scene = scene({
  title: 'redis-simple, fault failover',
  property: 'validity',
  actors: [actor('A', 'client'), actor('B', 'client'), actor('n1', 'node')],
  lines: [
    [0, 'A', { type: 'acquire' }],
    [2, 'A', { type: 'granted', validUntilMs: 988, token: '1735689600001000' }],
    [2, 'A', { type: 'enter' }],
    [10, 'B', { type: 'acquire' }],
    [12, 'B', { type: 'granted', validUntilMs: 998, token: '1735689600011000' }],
    [12, 'B', { type: 'enter' }],
    [40, 'A', { type: 'exit' }],
    [40, 'A', { type: 'release' }],
    [42, 'A', { type: 'released', outcome: 'not-held' }],
    [60, 'B', { type: 'exit' }],
    [60, 'B', { type: 'release' }],
    [62, 'B', { type: 'released', outcome: 'released' }],
  ],
  messages: [
    message('A', 'n1', 'acquire', 0),
    message('n1', 'A', 'acquire', 1, { detail: 'granted' }),
    message('B', 'n1', 'acquire', 10),
    message('n1', 'B', 'acquire', 11, { detail: 'granted' }),
    message('A', 'n1', 'release', 40),
    message('n1', 'A', 'release', 41, { detail: 'not held' }),
    message('B', 'n1', 'release', 60),
    message('n1', 'B', 'release', 61),
  ],
  faults: [
    {
      kind: 'failover',
      reason: 'the replica that took over did not know of the lock',
      actors: ['n1'],
      atMs: 5,
      text: 'dies before replicating; its replica takes over',
    },
  ],
  serverState: [held('n1', 'A', 1, 5, 'data lost'), held('n1', 'B', 11, 61, 'released')],
});

/** The holder is paused between its check and its write. */
export const pause: Scene = scene({
  title: 'redis-simple, fault pause',
  property: 'belief',
  actors: [
    actor('A', 'client'),
    actor('B', 'client'),
    actor('n1', 'node'),
    actor('counter', 'resource'),
  ],
  lines: [
    [0, 'A', { type: 'acquire' }],
    [2, 'A', { type: 'granted', validUntilMs: 988, token: '1735689600001000' }],
    [2, 'A', { type: 'enter' }],
    [4, 'B', { type: 'acquire' }],
    [1_003, 'B', { type: 'granted', validUntilMs: 1_989, token: '1735689601002000' }],
    [1_003, 'B', { type: 'enter' }],
    [
      1_010,
      'counter',
      {
        type: 'write',
        client: 'B',
        resource: 'counter',
        accepted: true,
        fenced: false,
        token: '1735689601002000',
        value: 1,
        readValue: 0,
      },
    ],
    [1_014, 'B', { type: 'exit' }],
    [1_014, 'B', { type: 'release' }],
    [1_016, 'B', { type: 'released', outcome: 'released' }],
    [
      1_207,
      'counter',
      {
        type: 'write',
        client: 'A',
        resource: 'counter',
        accepted: true,
        fenced: false,
        token: '1735689600001000',
        value: 1,
        readValue: 0,
      },
    ],
    [1_208, 'A', { type: 'lost', reason: 'deadline' }],
    [1_208, 'A', { type: 'exit' }],
  ],
  messages: [
    message('A', 'n1', 'acquire', 0),
    message('n1', 'A', 'acquire', 1, { detail: 'granted' }),
    message('B', 'n1', 'acquire', 4),
    message('n1', 'B', 'acquire', 5, { detail: 'busy' }),
    message('B', 'n1', 'acquire', 1_001),
    message('n1', 'B', 'acquire', 1_002, { detail: 'granted' }),
    message('B', 'counter', 'write', 1_009),
    message('B', 'n1', 'release', 1_014),
    message('A', 'counter', 'write', 1_206),
  ],
  faults: [
    {
      kind: 'pause',
      reason: 'a process was paused between two of its steps',
      actors: ['A'],
      atMs: 6,
      untilMs: 1_206,
      text: 'is paused for 1200 ms, right before it writes',
    },
  ],
  serverState: [held('n1', 'A', 1, 1_001, 'expired'), held('n1', 'B', 1_002, 1_015, 'released')],
});

const NODES = ['n1', 'n2', 'n3', 'n4', 'n5'] as const;

/** Three of five nodes forget what the holder has there. */
export const restart: Scene = scene({
  title: 'redlock, fault restart-empty',
  property: 'validity',
  actors: [actor('A', 'client'), actor('B', 'client'), ...NODES.map((id) => actor(id, 'node'))],
  lines: [
    [0, 'A', { type: 'acquire' }],
    [2, 'A', { type: 'granted', validUntilMs: 988 }],
    [2, 'A', { type: 'enter' }],
    [20, 'B', { type: 'acquire' }],
    [22, 'B', { type: 'granted', validUntilMs: 1_008 }],
    [22, 'B', { type: 'enter' }],
    [30, 'A', { type: 'exit' }],
    [30, 'A', { type: 'release' }],
    [32, 'A', { type: 'released', outcome: 'not-held' }],
    [42, 'B', { type: 'exit' }],
    [42, 'B', { type: 'release' }],
    [44, 'B', { type: 'released', outcome: 'released' }],
  ],
  messages: [
    ...NODES.flatMap((node) => [
      message('A', node, 'acquire', 0),
      message(node, 'A', 'acquire', 1, { detail: 'granted' }),
    ]),
    ...NODES.flatMap((node, i) => [
      message('B', node, 'acquire', 20),
      message(node, 'B', 'acquire', 21, { detail: i < 3 ? 'granted' : 'busy' }),
    ]),
  ],
  faults: [
    {
      kind: 'restart-empty',
      reason: 'a server came back without its data and had forgotten the lock',
      actors: ['n1', 'n2', 'n3'],
      atMs: 10,
      untilMs: 11,
      text: 'crash, and come back without their data',
    },
  ],
  serverState: [
    ...NODES.map((node, i) =>
      held(node, 'A', 1, i < 3 ? 10 : 31, i < 3 ? 'data lost' : 'released'),
    ),
    ...NODES.slice(0, 3).map((node) => held(node, 'B', 21, 43, 'released')),
  ],
});

/** A clock that is ahead steals a lock; an answer is lost as well. */
export const clientClock: Scene = scene({
  title: 'redis-getset, fault client-clock',
  property: 'validity',
  actors: [actor('A', 'client'), actor('B', 'client', 5_000), actor('n1', 'node')],
  lines: [
    [0, 'A', { type: 'acquire' }],
    [2, 'A', { type: 'granted', validUntilMs: 988 }],
    [2, 'A', { type: 'enter' }],
    [3, 'B', { type: 'acquire' }],
    [7, 'B', { type: 'granted', validUntilMs: 993 }],
    [7, 'B', { type: 'enter' }],
    [17, 'B', { type: 'crashed' }],
    [50, 'A', { type: 'exit' }],
    [50, 'A', { type: 'release' }],
    [52, 'A', { type: 'released', outcome: 'unknown' }],
  ],
  messages: [
    message('A', 'n1', 'SETNX', 0),
    message('n1', 'A', 'SETNX', 1, { detail: '1' }),
    message('B', 'n1', 'SETNX', 3),
    message('n1', 'B', 'SETNX', 4, { detail: '0' }),
    message('B', 'n1', 'GETSET', 5),
    message('n1', 'B', 'GETSET', 6),
    message('A', 'n1', 'DEL', 50),
    message('n1', 'A', 'DEL', 51, { arrivedMs: null }),
  ],
  faults: [
    {
      kind: 'client-clock',
      reason: 'it trusts the wall clocks of its clients, and they disagree',
      actors: ['B'],
      atMs: 0,
      text: 'has a wall clock 5000 ms ahead',
    },
    { kind: 'holder-crash', reason: 'the holder died', actors: ['B'], atMs: 17, text: 'dies' },
  ],
  serverState: [held('n1', 'A', 1, 6, 'taken'), held('n1', 'B', 6, 51, 'released')],
});

/** Nothing goes wrong. */
export const calm: Scene = {
  ...failover,
  title: 'memory, no fault',
  history: story(
    [0, 'A', { type: 'acquire' }],
    [2, 'A', { type: 'granted', validUntilMs: 988 }],
    [2, 'A', { type: 'enter' }],
    [9, 'A', { type: 'exit' }],
    [9, 'A', { type: 'release' }],
    [11, 'A', { type: 'released', outcome: 'released' }],
  ),
  verdicts: [],
  messages: [],
  faults: [],
  serverState: [],
};
