import { BackendUnavailableError, LockError } from '@holdfast/core';
import { NodeReplyError } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import { Bench, TTL_MS } from './support/bench.ts';

test('inspect shows who has a majority, with what a majority of the votes has left', async () => {
  const at = await Bench.open();
  await at.take('a');
  at.nodes[0]?.lose();

  expect(await at.backend.inspect?.('k')).toEqual({
    key: 'k',
    held: true,
    owner: 'a:1:box',
    holder: 'box',
    remainingMs: TTL_MS,
  });
});

test('inspect counts the votes of one hold together, whatever their n', async () => {
  const at = await Bench.open();
  const grant = await at.take('a');
  for (const node of at.nodes.slice(0, 2)) node.lose();
  await at.round(grant);
  at.nodes[2]?.lose();

  expect(await at.backend.inspect?.('k')).toMatchObject({ held: true });
});

test('inspect does not take a minority for a hold', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 2)) node.give('a:1:box', 500);

  expect(await at.backend.inspect?.('k')).toEqual({ key: 'k', held: false });
});

test('inspect says that it cannot say where no majority answers', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 3)) node.isDown = true;

  await expect(at.backend.inspect?.('k')).rejects.toThrow(BackendUnavailableError);
});

test('inspect refuses what is no lock on a majority', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 3))
    node.strange = new NodeReplyError('WRONGTYPE', 'WRONGTYPE …');

  await expect(at.backend.inspect?.('k')).rejects.toMatchObject({ code: 'FOREIGN_KEY', key: 'k' });
});

test('forceRelease takes the lock away, and says whether anybody had it', async () => {
  const at = await Bench.open();
  await at.take('a');
  at.nodes[0]?.stall();

  expect(await at.let(at.backend.forceRelease?.('k') ?? Promise.reject())).toEqual({
    kind: 'released',
  });
  expect(at.owners.slice(1)).toEqual([undefined, undefined, undefined, undefined]);
});

test('forceRelease of what nobody holds says so', async () => {
  const at = await Bench.open();

  expect(await at.backend.forceRelease?.('k')).toEqual({ kind: 'not-held' });
});

test('forceRelease that reached only some nodes is in doubt', async () => {
  const at = await Bench.open();
  await at.take('a');
  for (const node of at.nodes.slice(0, 3)) node.isDown = true;

  expect(await at.backend.forceRelease?.('k')).toMatchObject({ kind: 'unknown' });
});

test('forceRelease leaves alone what was never a lock', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 2)) node.strange = -2;
  for (const node of at.nodes.slice(2, 3))
    node.strange = new NodeReplyError('WRONGTYPE', 'WRONGTYPE …');

  await expect(at.backend.forceRelease?.('k')).rejects.toThrow(LockError);
});

test('health tells of every node, and is well while a majority answers', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 2)) node.isDown = true;

  const well = await at.backend.health?.();
  expect(well?.ok).toBe(true);
  expect(well?.nodes.map(({ ok }) => ok)).toEqual([false, false, true, true, true]);
  for (const node of at.nodes.slice(0, 3)) node.isDown = true;

  expect((await at.backend.health?.())?.ok).toBe(false);
});
