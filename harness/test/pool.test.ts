import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inOrder } from '../src/compare/in-order.ts';
import type { PoolResult, PoolTask, PoolTaskKind } from '../src/compare/pool-task.ts';
import { Pool, type Worker } from '../src/compare/worker-pool.ts';

/** A task that can be ended by hand. */
interface Begun {
  readonly what: string;
  readonly end: (how?: Error) => void;
}

/** Workers that do nothing until the test ends their tasks. */
class Puppets {
  readonly begun: Begun[] = [];
  readonly gone = new Set<number>();

  hand(n: number): Worker {
    return {
      hasExited: () => this.gone.has(n),
      perform: <K extends PoolTaskKind>(task: PoolTask<K>) =>
        new Promise<PoolResult<K>>((resolve, reject) => {
          const end = (error?: Error): void =>
            error === undefined ? resolve(RESULT as PoolResult<K>) : reject(error);
          this.begun.push({ what: `${n}: ${nameOf(task)}`, end });
        }),
      close: () => Promise.resolve(),
    };
  }

  get names(): readonly string[] {
    return this.begun.map(({ what }) => what);
  }
}

const RESULT: unknown = null;

function nameOf(task: PoolTask): string {
  return 'column' in task ? task.column : task.kind;
}

function takeover(column: 'memory' | 'redlock' | 'zk'): PoolTask<'takeover'> {
  return { kind: 'takeover', column, seed: 1 };
}

const settled = (): Promise<void> => setTimeout(0);

test('every hand has one task at a time, and takes the next when it has done its own', async () => {
  const puppets = new Puppets();
  const pool = new Pool([puppets.hand(0), puppets.hand(1)]);
  const all = (['memory', 'redlock', 'zk'] as const).map((column) =>
    pool.perform(takeover(column)),
  );

  expect(puppets.names).toEqual([]);
  await settled();
  expect(puppets.names).toEqual(['0: memory', '1: redlock']);
  puppets.begun[1]?.end();
  await settled();
  expect(puppets.names).toEqual(['0: memory', '1: redlock', '1: zk']);
  for (const { end } of puppets.begun) end();
  await Promise.all(all);
});

test('a worker continues what it has played before, else what no worker has, else the first', async () => {
  const puppets = new Puppets();
  const pool = new Pool([puppets.hand(0), puppets.hand(1)]);
  const columns = ['memory', 'redlock', 'redlock', 'zk', 'memory', 'redlock'] as const;
  const all = columns.map((column) => pool.perform(takeover(column)));
  const end = async (nth: number): Promise<string | undefined> => {
    puppets.begun[nth]?.end();
    await settled();
    return puppets.names.at(-1);
  };
  await settled();

  expect(await end(0)).toBe('0: memory');
  expect(await end(2)).toBe('0: zk');
  expect(await end(3)).toBe('0: redlock');
  expect(await end(1)).toBe('1: redlock');
  for (const begun of puppets.begun) begun.end();
  await Promise.all(all);
});

test('a task that fails is no reason to lose its hand; one whose thread has ended is', async () => {
  const puppets = new Puppets();
  const pool = new Pool([puppets.hand(0), puppets.hand(1)]);
  const failing = pool.perform(takeover('memory'));
  const ending = pool.perform(takeover('redlock'));
  const waiting = pool.perform(takeover('zk'));
  await settled();

  puppets.gone.add(1);
  puppets.begun[1]?.end(new Error('the thread has ended'));
  await expect(ending).rejects.toThrow('the thread has ended');
  expect(puppets.names).toHaveLength(2);
  puppets.begun[0]?.end(new Error('no such row'));
  await expect(failing).rejects.toThrow('no such row');
  await settled();

  expect(puppets.names).toEqual(['0: memory', '1: redlock', '0: zk']);
  puppets.begun[2]?.end();
  await waiting;
});

test('tasks begin in order, so many at a time, and are handed over in order', async () => {
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const taken: number[] = [];
  const tasks = [0, 1, 2, 3].map((n) => () => {
    begun.push(n);
    return new Promise<number>((resolve) => ends.push(() => resolve(n)));
  });
  const end = async (n: number): Promise<void> => {
    ends[n]?.();
    await settled();
  };

  const done = inOrder(tasks, 2, (n) => void taken.push(n));
  expect(begun).toEqual([0, 1]);
  await end(1);
  expect([begun, taken]).toEqual([[0, 1, 2], []]);
  await end(2);
  expect([begun, taken]).toEqual([[0, 1, 2, 3], []]);
  await end(0);
  expect(taken).toEqual([0, 1, 2]);
  await end(3);
  await done;
  expect(taken).toEqual([0, 1, 2, 3]);
});

test('when a task fails no other begins', async () => {
  const begun: number[] = [];
  const tasks = [0, 1, 2, 3].map((n) => async () => {
    begun.push(n);
    await settled();
    if (n === 1) throw new Error('it fails');
  });

  await expect(inOrder(tasks, 2, () => {})).rejects.toThrow('it fails');
  await settled();

  expect(begun).toEqual([0, 1, 2]);
});
