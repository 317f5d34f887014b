import { ConfigError, LockError } from '@holdfast/core';
import { openLocks } from 'holdfast';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Proxy } from '../../../../harness/test/kit/real-servers.ts';
import { attempt, contend, take, until } from '../../../../test/support/contending.ts';
import { openRedlock } from '../../src/index.ts';
import { ProxiedNodes, voteOf } from './support/proxied-nodes.ts';

let places: ProxiedNodes;

beforeEach(async () => {
  places = await ProxiedNodes.start(3);
});
afterEach(() => places.close());

const addresses = (): string =>
  places.all.map(({ server }) => `127.0.0.1:${server.port}`).join(',');

test('servers that keep what they are given open without a word', async () => {
  await places.open();

  expect(places.events).toEqual([]);
});

test('a URL opens it, through the front door', async () => {
  const locks = await openLocks(`redlock://${addresses()}`);

  await locks.use('front', async (lease) => {
    await places.untilVotes('front', 3);
    expect(lease.fencingToken).toBeUndefined();
    expect(await locks.inspect('front')).toMatchObject({ held: true });
  });

  expect((await locks.health()).nodes).toHaveLength(3);
  await locks.close();
});

test('what it does not promise is refused before anything connects', async () => {
  const opening = openLocks({
    backend: 'redlock',
    nodes: ['redis://a.invalid', 'redis://b.invalid', 'redis://c.invalid'],
    require: ['fencing'],
  });

  await expect(opening).rejects.toThrow(/redlock does not give what .* requires: fencing/);
});

test.each(['ioredis', 'redis'] as const)(
  'over %s a server that is listed twice, behind a proxy, is refused once it says who it is',
  async (library) => {
    const [first] = places.all;
    const proxy = await Proxy.start(first?.server.port ?? 0);
    const sources = [...places.all.map(({ server }) => server.url), proxy.url];

    await expect(openRedlock({ sources, library }, places.host)).rejects.toThrow(
      /are one and the same server/,
    );
    await proxy.close();
  },
);

test('a replica is refused', async () => {
  await places.all[1]?.raw.replicaof('127.0.0.1', '1');

  const opening = places.open();

  await expect(opening).rejects.toThrow(ConfigError);
  await expect(opening).rejects.toThrow(/is a replica/);
});

test('a list that differs from the one that others use is warned of', async () => {
  await places.open();

  await openRedlock(
    { sources: places.all.slice(0, 1).map(({ proxy }) => proxy.url), allowSmall: true },
    places.host,
  ).then((backend) => backend.close());

  expect(places.events).toEqual([
    expect.objectContaining({ type: 'warning', code: 'node-list', backend: 'redlock' }),
  ]);
});

test('a node that was down at the opening votes as soon as it is up', async () => {
  const [late] = places.all;
  late?.server.kill();
  const backend = await places.open();
  expect(places.events).toEqual([
    expect.objectContaining({ type: 'warning', code: 'unchecked-node' }),
  ]);
  await late?.server.restart();

  for (let n = 0; (await late?.raw.get(voteOf(`late${n - 1}`))) == null; n++) {
    await take(backend, `late${n}`);
  }
});

test('a lock is stored as one string that expires, and nothing else', async () => {
  const backend = await places.open();

  await take(backend, 'format {1}', 30_000);

  await places.untilVotes('format %7B1%7D', 3);
  for (const { raw } of places.all) {
    const keys = (await raw.keys('*')).toSorted();
    expect(keys).toEqual(['holdfast:v1:{format %7B1%7D}:vote', 'holdfast:v1:{}:nodes']);
    const leftMs = await raw.pttl(voteOf('format %7B1%7D'));
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(30_000);
  }
});

test('foreign values on a majority are refused with the key, and left alone', async () => {
  const backend = await places.open();
  for (const { raw } of places.all.slice(0, 2)) await raw.lpush(voteOf('foreign'), 'mine');

  const outcome = await attempt(contend(backend, 'foreign'));

  const error = outcome.kind === 'refused' ? outcome.error : undefined;
  expect(error).toBeInstanceOf(LockError);
  expect(error).toMatchObject({ code: 'FOREIGN_KEY', key: 'foreign', backend: 'redlock' });
  await until(async () => (await places.all[2]?.raw.get(voteOf('foreign'))) === null);
  for (const { raw } of places.all.slice(0, 2)) {
    expect(await raw.lrange(voteOf('foreign'), 0, -1)).toEqual(['mine']);
  }
});

test('a value without expiry on one node costs its vote, and no more', async () => {
  const backend = await places.open();
  await places.all[0]?.raw.set(voteOf('stuck'), 'c:1:elsewhere');

  const grant = await take(backend, 'stuck');

  expect((await grant.renew(30_000)).kind).toBe('renewed');
  expect(await grant.release()).toEqual({ kind: 'released' });
  expect(await places.all[0]?.raw.get(voteOf('stuck'))).toBe('c:1:elsewhere');
  expect(places.events).toContainEqual(
    expect.objectContaining({ type: 'node', outcome: 'FOREIGN_KEY', key: 'stuck' }),
  );
});

test('one client library may serve some nodes, and the other the rest', async () => {
  const [first, ...rest] = places.all.map(({ raw, server }) => ({ raw, url: server.url }));
  const backend = await openRedlock(
    { sources: [first?.raw ?? '', ...rest.map(({ url }) => url)], library: 'redis' },
    places.host,
  );

  const grant = await take(backend, 'mixed');

  await places.untilVotes('mixed', 3);
  expect(await grant.release()).toEqual({ kind: 'released' });
  await backend.close();
});
