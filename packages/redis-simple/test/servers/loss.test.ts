import type { Backend } from '@holdfast/core/backend';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  attempt,
  contend,
  LONG_MS,
  lockOf,
  take,
  until,
} from '../../../../test/support/contending.ts';
import { World } from './support/world.ts';

const TTL_MS = 1_000;

let world: World;
let backend: Backend;

beforeEach(async () => {
  world = await World.start();
  backend = await world.open();
});
afterEach(() => world.close());

const stored = (key: string): Promise<string | null> => world.raw.get(lockOf(key));

test('a handle that outlived its lease neither extends nor frees the hold that came after it', async () => {
  const stale = await take(backend, 'taken over', TTL_MS);
  await until(async () => (await stored('taken over')) === null);
  const newer = await take(await world.open(), 'taken over', 30_000);

  expect(await stale.renew(LONG_MS)).toEqual({ kind: 'lost' });
  expect(await stale.release()).toEqual({ kind: 'not-held' });

  expect(await stored('taken over')).toBe(newer.owner);
  expect(await world.raw.pttl(lockOf('taken over'))).toBeLessThanOrEqual(30_000);
  expect(newer.fencingToken).toBeGreaterThan(stale.fencingToken);
  expect((await newer.renew(30_000)).kind).toBe('renewed');
  expect(await newer.release()).toEqual({ kind: 'released' });
});

test('a renewal does not bring back a key that expired', async () => {
  const grant = await take(backend, 'expired', TTL_MS);
  await until(async () => (await stored('expired')) === null);

  expect(await grant.renew(TTL_MS)).toEqual({ kind: 'lost' });
  expect(await stored('expired')).toBeNull();
});

test('a holder whose key was stolen learns it at its next renewal, and leaves the thief alone', async () => {
  const grant = await take(backend, 'stolen');
  await world.raw.set(lockOf('stolen'), 'thief:1:box', 'PX', LONG_MS);

  expect(await grant.renew(30_000)).toEqual({ kind: 'lost' });
  expect(await grant.release()).toEqual({ kind: 'not-held' });
  expect(await stored('stolen')).toBe('thief:1:box');
});

test('a holder whose key was overwritten by another type learns it, and leaves the value alone', async () => {
  const grant = await take(backend, 'overwritten');
  await world.raw.del(lockOf('overwritten'));
  await world.raw.lpush(lockOf('overwritten'), 'hello');

  expect(await grant.renew(30_000)).toEqual({ kind: 'lost' });
  expect(await grant.release()).toEqual({ kind: 'not-held' });
  expect(await world.raw.lrange(lockOf('overwritten'), 0, -1)).toEqual(['hello']);
});

test('while the server is dead nothing is known; back without its data it says that the hold is lost', async () => {
  const grant = await take(backend, 'killed');
  world.server.kill();

  expect((await grant.renew(30_000)).kind).toBe('unknown');
  expect((await attempt(contend(backend, 'killed'))).kind).toBe('unavailable');
  await world.server.restart();

  await until(async () => (await grant.renew(30_000)).kind === 'lost');
  expect((await take(backend, 'killed')).fencingToken).toBeGreaterThan(grant.fencingToken);
});

test('while the server is paused renewals are unknown; when it resumes it still has the hold', async () => {
  const grant = await take(backend, 'stopped', LONG_MS);
  world.server.stop();

  expect((await grant.renew(TTL_MS)).kind).toBe('unknown');
  expect((await attempt(contend(backend, 'stopped', TTL_MS))).kind).toBe('unknown');
  world.server.resume();

  await until(async () => (await grant.renew(LONG_MS)).kind === 'renewed');
});

test('attempts made while the server was paused are all undone when it resumes', async () => {
  const contenders = Array.from({ length: 8 }, () => contend(backend, 'frozen', TTL_MS));
  world.server.stop();
  const outcomes = await Promise.all(contenders.map(attempt));
  expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(new Set(['unknown']));

  world.server.resume();

  await until(async () => (await attempt(contend(backend, 'frozen', LONG_MS))).kind === 'granted');
});

test('a replica’s old data proves nothing: neither a loss nor a renewal nor that a hold is gone', async () => {
  const gone = await take(backend, 'gone', LONG_MS);
  const kept = await take(backend, 'kept', LONG_MS);
  await world.raw.del(lockOf('gone'));
  await world.raw.replicaof('127.0.0.1', '1');

  expect((await gone.renew(30_000)).kind).toBe('unknown');
  await backendAnswers();
  expect((await kept.renew(30_000)).kind).toBe('unknown');
  await backendAnswers();
  expect((await gone.release()).kind).toBe('unknown');
  await backendAnswers();
  expect((await attempt(contend(backend, 'free'))).kind).toBe('unavailable');

  await world.raw.replicaof('NO', 'ONE');
  await until(async () => (await gone.renew(30_000)).kind === 'lost');
  expect((await kept.renew(30_000)).kind).toBe('renewed');
});

/** A node that turned out to be read-only is connected to anew; until then nothing is sent. */
async function backendAnswers(): Promise<void> {
  // It replies as a replica, which is not healthy.
  await until(async () => (await backend.health?.())?.nodes[0]?.roundTripMs !== undefined);
}
