import type { RedisNode, Reply } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import {
  injectFaults,
  OvertakenReleases,
  type ProcessFaults,
} from '../../src/sale/fault-injecting-node.ts';

const HELD_UP = { kind: 'delay', at: 'lock', before: 'DEL', n: 1 } as const;
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
class Bench implements ProcessFaults {
  nowMs = 0;
  readonly overtaken = new OvertakenReleases(() => this.nowMs);

  crash(): void {}
  pause(): void {}
  delayed(): () => void {
    return this.overtaken.delayed();
  }
  sleep(ms: number): Promise<void> {
    this.nowMs += ms;
    return Promise.resolve();
  }
}

test('a message that is held up continues when another client has its key, and not before', async () => {
  const { node, sent } = nodeReading('mine', 'mine', null, 'theirs');
  const processFaults = new Bench();

  await injectFaults(node, 'lock', [HELD_UP], { processFaults, ttlMs: 500 }).command(
    ['DEL', 'k'],
    SOON,
  );

  expect(sent).toEqual(['GET', 'GET', 'GET', 'GET', 'DEL']);
  expect(processFaults.overtaken.since(0)).toBe(true);
  expect(processFaults.overtaken.since(1)).toBe(false);
});

test('if no other client wants the key it continues at last, and has overtaken none', async () => {
  const { node, sent } = nodeReading('mine', null);
  const processFaults = new Bench();

  await injectFaults(node, 'lock', [HELD_UP], { processFaults, ttlMs: 500 }).command(
    ['DEL', 'k'],
    SOON,
  );

  expect(sent.at(-1)).toBe('DEL');
  expect(processFaults.nowMs).toBe(2_000);
  expect(processFaults.overtaken.since(0)).toBe(false);
});

test('only the chosen call is affected', async () => {
  const { node, sent } = nodeReading('mine');
  const faulty = injectFaults(node, 'lock', [{ ...HELD_UP, n: 2 }], {
    processFaults: new Bench(),
    ttlMs: 500,
  });

  await faulty.command(['SET', 'k'], SOON);
  await faulty.command(['DEL', 'k'], SOON);

  expect(sent).toEqual(['SET', 'DEL']);
  expect(injectFaults(node, 'stock', [HELD_UP], { processFaults: new Bench(), ttlMs: 500 })).toBe(
    node,
  );
});
