import { type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openZk } from '@holdfast/zk';
import { openAcl, ReplyError, Session } from '@holdfast/zk-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZooKeeperServer } from '../../../../harness/test/kit/real-servers.ts';
import { containerOf, layoutOf } from '../../src/keys.ts';

const KEY = 'orders/42';
const CONTAINER = containerOf(layoutOf('holdfast'), KEY);
const OWNER = { user: 'orders', password: 'of the orders' };

/** Clients that are not the holder: without an identity, and with another one. */
const STRANGERS = [
  { name: 'who has shown no credentials', auth: [] },
  { name: 'who is another user', auth: [{ scheme: 'digest', auth: 'stranger:secret' }] },
  { name: 'who says the right name', auth: [{ scheme: 'digest', auth: 'orders:a guess' }] },
] as const;

let server: ZooKeeperServer;
let locks: Locks;

async function open(): Promise<Locks> {
  const host = createHost();
  const options = { servers: [server.address], sessionTimeoutMs: 5_000, auth: OWNER };
  return createLocks(await openZk(options, host), host);
}

beforeAll(async () => {
  server = await ZooKeeperServer.start();
  locks = await open();
});

afterAll(async () => {
  await locks.close();
  await server.close();
});

describe.for(STRANGERS)('a client $name', ({ auth }) => {
  test('can neither delete nor forge a contender, nor see or change the queue', async () => {
    const lease = await locks.acquire(KEY);
    const inspector = await Session.open({
      servers: [server.address],
      auth: [{ scheme: 'digest', auth: `${OWNER.user}:${OWNER.password}` }],
    });
    const [name = ''] = (await inspector.getChildren(CONTAINER)).children;
    const contender = `${CONTAINER}/${name}`;
    const stranger = await Session.open({ servers: [server.address], auth });

    const forged = { mode: 'ephemeral-sequential' } as const;
    const attempts = [
      () => stranger.delete(contender),
      () => stranger.setData(contender, 'mine'),
      () => stranger.create(`${CONTAINER}/${'0'.repeat(32)}-lock-`, '', forged),
      () => stranger.create(`${contender}/child`, ''),
      () => stranger.setAcl(contender, openAcl),
      () => stranger.setAcl(CONTAINER, openAcl),
      () => stranger.setData(CONTAINER, 'mine'),
      () => stranger.delete(CONTAINER),
      () => stranger.getChildren(CONTAINER),
      () => stranger.getData(contender),
    ];
    const codes: unknown[] = [];
    for (const attempt of attempts) codes.push(await attempt().then(() => 'done', codeOf));

    // An ephemeral node can have no children; ZooKeeper checks the ACL first.
    expect(codes).toEqual(attempts.map(() => 'NOAUTH'));
    expect(lease.state).toBe('held');
    expect((await inspector.getChildren(CONTAINER)).children).toEqual([name]);
    expect(await lease.release()).toEqual({ kind: 'released' });
    await Promise.all([stranger.close(), inspector.close()]);
  });
});

test('another process of the same user takes its turn as always', async () => {
  const others = await open();
  const lease = await locks.acquire(KEY);
  const waiting = others.acquire(KEY, { waitMs: 20_000 });

  await lease.release();
  const next = await waiting;

  expect(next.fencingToken).toBeGreaterThan(lease.fencingToken ?? 0n);
  await next.release();
  await others.close();
});

function codeOf(error: unknown): unknown {
  return error instanceof ReplyError ? error.code : error;
}
