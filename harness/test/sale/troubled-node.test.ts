import type { RedisNode, Reply } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import { Overtaken } from '../../src/sale/overtaken.ts';
import { type Strikes, troubledNode } from '../../src/sale/troubled-node.ts';

const HELD_UP = { kind: 'hold-up', at: 'lock', before: 'DEL', n: 1 } as const;
const SOON = { deadlineMs: 1_000 };

/** A node whose key reads, one after the other, as `values` say, and at last as the last of them. */
function nodeReading(...values: readonly Reply[]): {
  readonly node: RedisNode;
  readonly sent: string[];
} {
  const sent: string[] = [];
  const left = [...values];
  const command = ([name = '']: readonly string[]): Promise<Reply> => {
    sent.push(name);
    return Promise.resolve(
      name === 'GET' ? ((left.length > 1 ? left.shift() : left[0]) ?? null) : 1,
    );
  };
  const node: RedisNode = {
    address: 'n1',
    command,
    script: () => Promise.resolve(null),
    subscribe: () => Promise.resolve({ close: () => {} }),
    close: () => Promise.resolve(),
  };
  return { node, sent };
}

/** Time goes by as it is slept through. */
class Bench implements Strikes {
  nowMs = 0;
  readonly overtaken = new Overtaken(() => this.nowMs);

  crash(): void {}
  standStill(): void {}
  heldUp(): () => void {
    return this.overtaken.heldUp();
  }
  sleep(ms: number): Promise<void> {
    this.nowMs += ms;
    return Promise.resolve();
  }
}

test('a message that is held up goes on when its key has become somebody else’s, and not before', async () => {
  const { node, sent } = nodeReading('mine', 'mine', null, 'theirs');
  const strikes = new Bench();

  await troubledNode(node, 'lock', [HELD_UP], { strikes, ttlMs: 500 }).command(['DEL', 'k'], SOON);

  expect(sent).toEqual(['GET', 'GET', 'GET', 'GET', 'DEL']);
  expect(strikes.overtaken.since(0)).toBe(true);
  expect(strikes.overtaken.since(1)).toBe(false);
});

test('where nobody else wants the key it goes on at last, and has overtaken nobody', async () => {
  const { node, sent } = nodeReading('mine', null);
  const strikes = new Bench();

  await troubledNode(node, 'lock', [HELD_UP], { strikes, ttlMs: 500 }).command(['DEL', 'k'], SOON);

  expect(sent.at(-1)).toBe('DEL');
  expect(strikes.nowMs).toBe(2_000);
  expect(strikes.overtaken.since(0)).toBe(false);
});

test('only the call that is meant is struck', async () => {
  const { node, sent } = nodeReading('mine');
  const struck = troubledNode(node, 'lock', [{ ...HELD_UP, n: 2 }], {
    strikes: new Bench(),
    ttlMs: 500,
  });

  await struck.command(['SET', 'k'], SOON);
  await struck.command(['DEL', 'k'], SOON);

  expect(sent).toEqual(['SET', 'DEL']);
  expect(troubledNode(node, 'stock', [HELD_UP], { strikes: new Bench(), ttlMs: 500 })).toBe(node);
});
