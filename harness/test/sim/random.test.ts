import { expect, test } from 'vitest';
import { random, World } from '../../src/simulator/index.ts';

test('equal seeds give equal sequences, and neighbouring seeds do not', () => {
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});

test('the sequence is that of sfc32 seeded by splitmix32, as an independent implementation computed it', () => {
  const source = random(42);

  expect([source.below(1_000), source.below(1_000), source.id()]).toEqual([
    926,
    777,
    '2650a498f82ff51ced8900decb2c4ad8',
  ]);
});

test('numbers spread evenly', () => {
  const source = random('spread');
  const counts = Array.from({ length: 10 }, () => 0);

  for (let i = 0; i < 100_000; i++) counts[source.below(10)]!++;

  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test('ids of a process repeat with the seed, differ between processes, and hold no colon', () => {
  expect(ids('a', 1)).toEqual(ids('a', 1));
  expect(new Set([...ids('a', 1), ...ids('b', 1), ...ids('a', 2)]).size).toBe(300);
  for (const id of ids('a', 1)) expect(id).toMatch(/^[0-9a-f]{32}$/);
});

function draw(seed: number): number[] {
  const source = random(seed);
  return Array.from({ length: 5 }, () => source.next());
}

function ids(name: string, seed: number): string[] {
  const { runtime } = new World({ seed }).process(name);
  return Array.from({ length: 100 }, () => runtime.randomId());
}
