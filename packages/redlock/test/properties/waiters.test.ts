import { type Op, type PlayResult, play, type Schedule } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../../../harness/test/kit/locks.ts';

const HOLD_MS = 9_000;
const WAITERS = ['b', 'c', 'd', 'e'] as const;

const holder: Op = { id: 1, client: 'a', atMs: 0, holdMs: HOLD_MS, renews: false };
const waiters: readonly Op[] = WAITERS.map((client, i) => ({
  id: i + 2,
  client,
  atMs: 100,
  holdMs: 0,
  renews: false,
}));

/** Waiters beside a holder that never reached the nodes of `mask`. */
function beside(mask: number): Schedule {
  return {
    v: 1,
    ttlMs: 30_000,
    latencyMs: 1,
    nodes: 5,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [holder, ...waiters],
    faults:
      mask === 0
        ? []
        : [
            {
              kind: 'client-cut',
              client: 'a',
              nodes: mask,
              when: { atMs: 0 },
              ms: HOLD_MS / 2,
              way: 'both',
            },
          ],
  };
}

/** The number of a client's requests to the first node during the hold. */
function attemptsOf(client: string, { trace }: PlayResult): number {
  return trace.filter(
    ({ kind, label, process, to, atUs }) =>
      [kind, label, process, to].join(' ') === `send acquire ${client} n1` &&
      atUs < HOLD_MS * 1_000,
  ).length;
}

/** The time after the end of the hold by which every client had held. */
function tookMs({ history }: PlayResult): number {
  const at = (type: string): number[] =>
    history.flatMap((event) => (event.type === type ? [event.atMs] : []));
  return Math.max(...at('granted')) - Math.min(...at('release'));
}

test.each([
  ['all five nodes', 0, 10],
  ['a bare majority', 0b11000, 30],
])(
  'waiters beside a holder of %s leave the nodes alone, and come at once when it ends',
  async (_, mask, most) => {
    const played = await play(beside(mask), subjectOf('redlock'), { trace: true });

    const attempts = WAITERS.map((client) => attemptsOf(client, played));
    expect(Math.max(...attempts), `attempts: ${attempts.join(', ')}`).toBeLessThan(most);
    expect(played.complaints).toEqual([]);
    expect(played.accepted).toBe(1 + WAITERS.length);
    console.info(
      `attempts: ${attempts.join(', ')}; all done ${tookMs(played)} ms after the release`,
    );
    expect(tookMs(played)).toBeLessThan(500);
  },
);
