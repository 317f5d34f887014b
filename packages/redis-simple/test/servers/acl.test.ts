import { readFileSync } from 'node:fs';
import type { Backend } from '@holdfast/core/backend';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  attempt,
  contend,
  fenceOf,
  lockOf,
  take,
  won,
} from '../../../../test/support/contending.ts';
import { World } from './support/world.ts';

const page = readFileSync(
  new URL('../../../../docs/backends/redis-simple.md', import.meta.url),
  'utf8',
);
const [, rule = ''] = /^ACL SETUSER (.*)$/m.exec(page) ?? [];
const rights = rule.replace('<password>', 'secret').split(/\s+/);
const open = new AbortController().signal;

let world: World;
beforeAll(async () => {
  world = await World.start();
  await world.raw.call('ACL', 'SETUSER', ...rights);
});
afterAll(() => world.close());

function urlOf(user: string): string {
  return `redis://${user}:secret@127.0.0.1:${world.server.port}`;
}

/** Everything that a holder, a waiter and an operator do. */
async function everything(backend: Backend, key: string): Promise<void> {
  const holder = await take(backend, key);
  const waiter = contend(backend, key);
  expect((await attempt(waiter)).kind).toBe('busy');
  await waiter.changed?.(open);
  expect((await attempt(waiter)).kind).toBe('busy');
  const woken = waiter.changed?.(open);
  expect((await holder.renew(60_000)).kind).toBe('renewed');
  expect(await backend.inspect?.(key)).toMatchObject({ held: true, holder: 'box:1' });
  expect(await holder.release()).toEqual({ kind: 'released' });
  await woken;
  const granted = await won(waiter);
  const adopter = { key, contender: 'adopter', ttlMs: 60_000, exported: granted.export() };
  expect(backend.adopt && (await attempt(backend.adopt(adopter))).kind).toBe('granted');
  expect(await backend.forceRelease?.(key)).toEqual({ kind: 'released' });
  expect((await backend.health?.())?.ok).toBe(true);
}

test('the page gives a rule', () => {
  expect(rights[0]).toBe('locks');
  expect(rights).toContain('>secret');
});

describe.each(['ioredis', 'redis'] as const)('over %s', (library) => {
  test('the least-privileged user of the docs can do all that locking takes, without a warning', async () => {
    const before = world.events.length;

    await everything(await world.open({ source: urlOf('locks'), library }), library);

    expect(world.events.slice(before)).toEqual([]);
  });
});

test('that user can reach no other key, and run no other command', async () => {
  const opening = world.open({ source: urlOf('locks'), namespace: 'elsewhere' });

  await expect(opening).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringContaining('keys elsewhere:v1:*'),
  });
  const itself = new Redis(urlOf('locks'), { enableReadyCheck: false });
  await expect(itself.keys('*')).rejects.toThrow(/NOPERM/);
  itself.disconnect();
});

test('a user who may not publish releases all the same: waiters then poll', async () => {
  await world.raw.call('ACL', 'SETUSER', ...rights.with(0, 'quiet'), '-publish');
  const backend = await world.open({ source: urlOf('quiet') });

  const grant = await take(backend, 'quiet');

  expect(await grant.release()).toEqual({ kind: 'released' });
  expect(await world.raw.exists(lockOf('quiet'))).toBe(0);
});

test('a user who may not write leaves nothing behind, not even a fence', async () => {
  await world.raw.call('ACL', 'SETUSER', ...rights.with(0, 'reader'));
  const backend = await world.open({ source: urlOf('reader') });
  await world.raw.call('ACL', 'SETUSER', 'reader', '-set');

  const outcome = await attempt(contend(backend, 'reader'));

  const error = outcome.kind === 'refused' ? outcome.error : undefined;
  expect(error).toMatchObject({ code: 'NOPERM', key: 'reader', backend: 'redis-simple' });
  expect(error?.message).not.toContain('secret');
  expect(await world.raw.exists(lockOf('reader'), fenceOf('reader'))).toBe(0);
});
