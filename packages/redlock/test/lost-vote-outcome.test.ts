import { NodeDoubt, type Reply } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { outcomeOfLost } from '../src/count.ts';
import { splitBackOffMs } from '../src/validity.ts';
import { Bench, CALL_MS, slow, TTL_MS, took } from './support/bench.ts';
import type { VotingNode } from './support/voting-node.ts';

const FOREVER_MS = Number.MAX_SAFE_INTEGER;
const DRIFT_MS = 12;
/** The time after a request for which a vote may be stored: the request may arrive as late as a call may take. */
const STORED_MS_MAX = TTL_MS + DRIFT_MS + CALL_MS;

/** Replaces the reply of one node to every acquire. */
function answering(node: VotingNode | undefined, answer: () => Promise<Reply>): void {
  if (node === undefined) throw new Error('there is no such node');
  const script = node.script.bind(node);
  node.script = async (named, keys, args, options) => {
    const reply = await script(named, keys, args, options);
    return named.name === 'acquire' ? await answer() : reply;
  };
}

function taken(nodes: readonly VotingNode[], ms = 500): void {
  for (const node of nodes) node.give('b:1:other', ms);
}

describe('a lost vote', () => {
  test('does not end before the votes given to it are released', async () => {
    const at = await Bench.open();
    taken(at.nodes.slice(0, 3));
    slow(at, at.nodes[3], 'release', 20);

    expect(await took(at, at.contend('a').attempt(FOREVER_MS))).toBe(20);
  });

  test('keeps the process alive until then', async () => {
    const at = await Bench.open();
    taken(at.nodes.slice(0, 3));
    if (at.nodes[3] !== undefined) at.nodes[3].stallAt = 'release';
    const attempting = at.contend('a').attempt(FOREVER_MS);
    await at.runtime.pass(1);

    expect([...at.runtime.timers].some(({ awaited }) => awaited)).toBe(true);
    await at.let(attempting);
  });

  test('is cast again when the holder’s time is over, and not at that very moment', async () => {
    const at = await Bench.open(3);
    taken(at.nodes, 500);

    expect(await at.attempt(at.contend('a'))).toMatchObject({
      kind: 'busy',
      holderRemainingMs: 500,
      retryAfterMs: 501,
    });
  });

  test('is in doubt up to the last millisecond in which a vote may be stored', async () => {
    const at = await Bench.open();
    const contender = at.contend('a');
    for (const node of at.nodes.slice(0, 3)) node.isDown = true;
    for (const node of at.nodes.slice(3)) node.stallAt = 'release';
    const { monotonicMs } = at.runtime.now();
    await at.attempt(contender);
    for (const node of at.nodes) node.isDown = true;
    const passedMs = at.runtime.now().monotonicMs - monotonicMs;
    await at.runtime.pass(STORED_MS_MAX - 1 - passedMs);
    await at.attempt(contender);

    expect(await contender.withdraw()).toEqual({ kind: 'unknown', untilMs: 1 });
  });

  test('with an unexpected reply is in doubt until it is released', async () => {
    const at = await Bench.open(3);
    for (const node of at.nodes) {
      node.stallAt = 'release';
      answering(node, () => Promise.resolve('what?'));
    }
    const contender = at.contend('a');

    expect((await at.attempt(contender)).kind).toBe('unknown');
    expect((await at.let(contender.withdraw())).kind).toBe('unknown');
  });

  test('whose outcome was unknown is released with a notification if it was stored', async () => {
    const at = await Bench.open(3);
    const doubt = new NodeDoubt('no answer', 'none', Promise.resolve(false));
    for (const node of at.nodes.slice(1)) node.isDown = true;
    const [first] = at.nodes;
    answering(first, () => Promise.reject(doubt));
    if (first !== undefined) first.stallAt = 'release';
    let heard = 0;
    await at.attempt(at.contend('a'));
    first?.divert();
    first?.listeners.add(() => (heard += 1));

    await at.runtime.pass(5 * CALL_MS);

    expect([first?.owner, heard]).toEqual([undefined, 1]);
  });

  test('of a majority says so only when a majority agreed in time; what we gave back is free', () => {
    const vote = {
      nodes: 5,
      quorum: 3,
      mayBeStored: false,
      notBeforeMs: 0,
      probeAfterMs: FOREVER_MS,
      pollMs: 2_000,
      random: 0,
    };
    const replies = [
      { kind: 'agreed' },
      { kind: 'agreed' },
      { kind: 'taken', remainingMs: 0 },
    ] as const;

    expect(outcomeOfLost({ ...vote, replies })).toMatchObject({ holderRemainingMs: 0 });
  });
});

describe('who loses votes stays away', () => {
  test('for several votes, and twice as long after every split, ten times', () => {
    expect(splitBackOffMs(20, 0, 1, FOREVER_MS)).toBe(80);
    expect(splitBackOffMs(20, 3, 1, FOREVER_MS)).toBe(640);
    expect(splitBackOffMs(20, 99, 1, FOREVER_MS)).toBe(80 * 1024);
  });

  test('for no more than 400 ms', async () => {
    const at = await Bench.open();
    at.runtime.jitter = 1;
    taken(at.nodes.slice(0, 3), 60_000);
    const contender = at.contend('a');
    const awayMs: unknown[] = [];
    for (let n = 0; n < 12; n++) {
      const attempt = await at.attempt(contender);
      awayMs.push('notBeforeMs' in attempt ? attempt.notBeforeMs : undefined);
    }

    expect(Math.max(...awayMs.map(Number))).toBe(400);
  });
});
