import { LockLostError } from '@holdfast/core';
import { systemRuntime } from '@holdfast/core/backend';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attempt, contend, LONG_MS, until, won } from '../../../../test/support/contending.ts';
import { type ProxiedNode, ProxiedNodes } from './support/proxied-nodes.ts';

let places: ProxiedNodes;

beforeEach(async () => {
  places = await ProxiedNodes.start(3);
});
afterEach(() => places.close());

/** Resolves when every node stores a vote of this contender. */
async function untilOnAll(key: string, owner: string): Promise<void> {
  const contender = owner.split(':')[0];
  await until(async () => {
    const votes = await places.votes(key);
    return votes.every((vote) => vote?.startsWith(`${contender}.`) === true);
  });
}

test('a lease with a healed vote goes to another client library, and the exporter matches nothing', async () => {
  const web = await places.open();
  const worker = await places.locks({ library: 'redis' });
  const lease = await won(contend(web, 'job', LONG_MS));
  await untilOnAll('job', lease.owner);
  const [{ raw }] = places.all as [ProxiedNode];
  await raw.flushall();
  await until(async () => {
    // In doubt as long as the reply of a third node is still on its way to the client.
    const { kind } = await lease.renew(LONG_MS);
    return kind === 'renewed' && (await raw.keys('*:vote')).length > 0;
  });
  const exported = {
    key: 'job',
    backend: 'redlock',
    owner: lease.export(),
    ttlMs: LONG_MS,
  };
  const text = `holdfast-lease:1:${Buffer.from(JSON.stringify(exported)).toString('base64url')}`;

  const adopted = await worker.adopt(text);

  await untilOnAll('job', adopted.owner);
  expect(await lease.renew(LONG_MS)).toEqual({ kind: 'lost' });
  expect(await lease.release()).toEqual({ kind: 'not-held' });
  await expect(worker.adopt(text)).rejects.toThrow(LockLostError);
  expect((await attempt(contend(web, 'job'))).kind).toBe('busy');
  await adopted.extend(2 * LONG_MS);
  expect(await adopted.release()).toEqual({ kind: 'released' });
  await places.untilVotes('job', 0);
});

test('an adoption whose replies are lost is tried again, by the same adopter', async () => {
  const [web, worker] = [await places.locks(), await places.open({ library: 'ioredis' })];
  await (await won(contend(worker, 'warm'))).release();
  const lease = await web.acquire('lost', { ttlMs: LONG_MS });
  await untilOnAll('lost', lease.owner);
  const text = await lease.export();
  const { owner: exported } = JSON.parse(
    Buffer.from(text.split(':')[2] ?? '', 'base64url').toString(),
  );
  const contender = systemRuntime().randomId();
  const adopter = worker.adopt?.({ key: 'lost', contender, ttlMs: LONG_MS, exported });
  if (adopter === undefined) throw new Error('it adopts nothing');
  for (const { proxy } of places.all) proxy.cut('down');
  const first = adopter.attempt(performance.now() + 300);
  await untilOnAll('lost', contender);
  expect((await first).kind).toBe('unknown');
  for (const { proxy } of places.all) proxy.heal({ drop: true });

  const adopted = await won(adopter);

  expect(adopted.owner).toMatch(/^[^:]+:[2-9]\d*:box:1$/);
  expect((await adopted.renew(LONG_MS)).kind).toBe('renewed');
  expect(await adopted.release()).toEqual({ kind: 'released' });
  await places.untilVotes('lost', 0);
});
