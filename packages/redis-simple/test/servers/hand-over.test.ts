import { LockLostError } from '@holdfast/core';
import {
  type Backend,
  type Contender,
  createHost,
  createLocks,
  systemRuntime,
} from '@holdfast/core/backend';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Proxy } from '../../../../harness/test/kit/real-servers.ts';
import {
  attempt,
  contend,
  LONG_MS,
  lockOf,
  take,
  until,
  won,
} from '../../../../test/support/contending.ts';
import { Router } from './support/router.ts';
import { World } from './support/world.ts';

const TTL_MS = 5_000;
const runtime = systemRuntime();

let world: World;
let web: Backend;

beforeEach(async () => {
  world = await World.start();
  web = await world.open();
});
afterEach(() => world.close());

const stored = (key: string): Promise<string | null> => world.raw.get(lockOf(key));

function adopter(backend: Backend, key: string, exported: string, ttlMs = LONG_MS): Contender {
  const request = { key, contender: runtime.randomId(), ttlMs, exported };
  const contender = backend.adopt?.(request);
  if (contender === undefined) throw new Error('it adopts nothing');
  return contender;
}

describe('an adoption', () => {
  let slow: Proxy;
  let router: Router;
  let worker: Backend;

  beforeEach(async () => {
    slow = await Proxy.start(world.server.port);
    router = await Router.start(slow.port);
    worker = await world.open({ source: router.url, library: 'redis' });
    // The connection is up, and the adoption's script cached, so that an attempt is one message on it.
    const warm = await take(web, 'warm');
    await (await won(adopter(worker, 'warm', warm.export()))).release();
  });
  afterEach(async () => {
    await router.close();
    await slow.close();
  });

  test('the late exporter renews nothing, releases nothing and has a smaller token', async () => {
    const lease = await take(web, 'k', TTL_MS);
    const adopted = await won(adopter(worker, 'k', lease.export()));

    expect(await lease.renew(2 * LONG_MS)).toEqual({ kind: 'lost' });
    expect(await lease.release()).toEqual({ kind: 'not-held' });

    expect(adopted.fencingToken).toBeGreaterThan(lease.fencingToken);
    expect(await stored('k')).toBe(adopted.owner);
    expect(await world.raw.pttl(lockOf('k'))).toBeGreaterThan(LONG_MS / 2);
    expect(await world.raw.pttl(lockOf('k'))).toBeLessThanOrEqual(LONG_MS);
    expect((await attempt(contend(web, 'k'))).kind).toBe('busy');
    expect((await adopted.renew(LONG_MS)).kind).toBe('renewed');
    expect(await adopted.release()).toEqual({ kind: 'released' });
    expect(await stored('k')).toBeNull();
  });

  test('one adopter takes it, and every other is refused', async () => {
    const exported = (await take(web, 'once')).export();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => attempt(adopter(worker, 'once', exported))),
    );

    expect(outcomes.filter(({ kind }) => kind === 'granted')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'refused')).toHaveLength(7);
  });

  test('an adoption whose reply is lost is tried again, by the same adopter', async () => {
    const lease = await take(web, 'lost reply', TTL_MS);
    const contender = adopter(worker, 'lost reply', lease.export());
    slow.cut('down');
    const first = attempt(contender);
    await until(async () => (await stored('lost reply')) !== lease.owner);
    slow.heal({ drop: true });
    expect((await first).kind).toBe('unknown');

    const adopted = await won(contender);

    expect(adopted.owner).toMatch(/^[^:]+:[2-9]\d*:box:1$/);
    expect(await stored('lost reply')).toBe(adopted.owner);
    expect(await world.raw.pttl(lockOf('lost reply'))).toBeGreaterThan(LONG_MS / 2);
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    expect((await adopted.renew(LONG_MS)).kind).toBe('renewed');
  });

  test('an adoption that is given up without a reply frees the key, long before its ttl', async () => {
    const contender = adopter(worker, 'given up', (await take(web, 'given up')).export());
    slow.cut('down');
    expect((await contender.attempt(performance.now() + 300)).kind).toBe('unknown');

    expect(await contender.withdraw()).toMatchObject({ kind: 'unknown' });
    slow.heal();

    await until(async () => (await stored('given up')) === null);
  });

  test('an attempt that arrives after the next was granted, or released, changes nothing', async () => {
    const lease = await take(web, 'late', LONG_MS);
    const contender = adopter(worker, 'late', lease.export(), TTL_MS);
    router.sent = '';
    slow.cut('up');
    const first = attempt(contender);
    await until(async () => router.sent.includes(':1:box:1'));
    router.via = world.server.port;
    const { serverEnded } = router.disconnect();
    expect((await first).kind).toBe('unknown');
    const adopted = await won(contender);

    slow.heal();
    await serverEnded;

    expect(await stored('late')).toBe(adopted.owner);
    expect((await adopted.renew(TTL_MS)).kind).toBe('renewed');
    expect(await adopted.release()).toEqual({ kind: 'released' });
  });

  test('what the exporter undoes late is not the adopter’s', async () => {
    router.via = slow.port;
    const contender = contend(worker, 'undone', TTL_MS);
    router.sent = '';
    slow.cut('up');
    const first = attempt(contender);
    await until(async () => router.sent.includes(':1:box:1'));
    await until(async () => /EVAL\r\n[^]*:1:box:1/.test(router.sent));
    router.via = world.server.port;
    const { serverEnded } = router.disconnect();
    expect((await first).kind).toBe('unknown');
    const adopted = await won(adopter(web, 'undone', (await won(contender)).export()));

    slow.heal();
    await serverEnded;

    expect(await stored('undone')).toBe(adopted.owner);
  });
});

test('a lease goes from one process to another, though the exporter closes its locks', async () => {
  const from = createLocks(web, createHost());
  const to = createLocks(await world.open(), createHost());
  const lease = await from.acquire('job', { ttlMs: LONG_MS });
  const text = await lease.export();
  await from.close();

  const adopted = await to.adopt(text);

  expect(await stored('job')).toBe(adopted.owner);
  expect(adopted.fencingToken).toBeGreaterThan(lease.fencingToken ?? 0n);
  await expect(to.adopt(text)).rejects.toThrow(LockLostError);
  expect(await adopted.release()).toEqual({ kind: 'released' });
});

test('a lease that expired while its exporter was paused is adopted by nobody, and its key stays free', async () => {
  const exported = (await take(web, 'paused', 200)).export();
  await until(async () => (await stored('paused')) === null);

  expect(await attempt(adopter(web, 'paused', exported))).toMatchObject({ kind: 'refused' });

  expect(await stored('paused')).toBeNull();
});

test('a hold that is not the exported one is left alone, also one whose value begins like it', async () => {
  const lease = await take(web, 'other', LONG_MS);
  const exported = lease.export();
  const others = [`${exported}0`, exported.slice(0, -1), exported.replace(':1:', ':2:')];

  for (const other of others) {
    await world.raw.set(lockOf('other'), other, 'PX', LONG_MS);
    expect((await attempt(adopter(web, 'other', exported))).kind).toBe('refused');
    expect(await stored('other')).toBe(other);
  }
});

test('a replica’s old data refuses nothing: the adopter tries again', async () => {
  const exported = (await take(web, 'replica', LONG_MS)).export();
  await world.raw.del(lockOf('replica'));
  await world.raw.replicaof('127.0.0.1', '1');

  expect((await attempt(adopter(web, 'replica', exported))).kind).toBe('unavailable');
});
