import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { attempt, contend, LONG_MS, until, won } from '../../../../test/support/contending.ts';
import { type ProxiedNode, ProxiedNodes } from './support/proxied-nodes.ts';

/** Three of five nodes reply, and do not serve. */
let places: ProxiedNodes;
let majority: readonly ProxiedNode[];

beforeEach(async () => {
  places = await ProxiedNodes.start();
  majority = places.all.slice(0, 3);
  onTestFinished(() => places.close());
});

async function isBusy(raw: ProxiedNode['raw']): Promise<boolean> {
  const reply = await raw.ping().catch((error: unknown) => String(error));
  return reply.includes('BUSY');
}

test('nodes without memory give no votes, but renew and release those that they gave', async () => {
  const backend = await places.open();
  const grant = await won(contend(backend, 'full', LONG_MS));
  await places.untilVotes('full', 5);
  for (const { raw } of majority) await raw.config('SET', 'maxmemory', '1');

  expect((await attempt(contend(backend, 'other'))).kind).toBe('unavailable');
  expect((await grant.renew(LONG_MS)).kind).toBe('renewed');
  expect(await grant.release()).toEqual({ kind: 'released' });

  expect(new Set(places.reported('OOM')).size).toBe(3);
  await places.untilVotes('full', 0);
  await places.untilVotes('other', 0);
});

test('nodes that became replicas neither end a lease nor grant one, and serve once they are masters', async () => {
  const backend = await places.open();
  const grant = await won(contend(backend, 'demoted', LONG_MS));
  await places.untilVotes('demoted', 5);
  for (const { raw } of majority) await raw.replicaof('127.0.0.1', 1);

  expect((await attempt(contend(backend, 'other'))).kind).toBe('unavailable');
  expect((await grant.renew(LONG_MS)).kind).toBe('unknown');
  for (const { raw } of majority) await raw.replicaof('no', 'one');

  await until(async () => (await grant.renew(LONG_MS)).kind === 'renewed');
  expect(await grant.release()).toEqual({ kind: 'released' });
  await places.untilVotes('demoted', 0);
  await places.untilVotes('other', 0);
});

test('nodes that are busy with a script are given their votes back once they are done', async () => {
  const backend = await places.open();
  const grant = await won(contend(backend, 'busy', LONG_MS));
  await places.untilVotes('busy', 5);
  for (const { raw } of majority) {
    await raw.config('SET', 'busy-reply-threshold', '1');
    const other = raw.duplicate();
    onTestFinished(() => other.disconnect());
    other.eval('while true do end', 0).catch(() => undefined);
    await until(async () => await isBusy(raw));
  }

  expect((await attempt(contend(backend, 'other'))).kind).toBe('unavailable');
  expect((await grant.renew(LONG_MS)).kind).toBe('unknown');
  expect((await grant.release()).kind).toBe('unknown');
  for (const { raw } of majority) await raw.call('SCRIPT', 'KILL');
  for (const { raw } of majority) await until(async () => !(await isBusy(raw)));

  await places.untilVotes('busy', 0);
  await places.untilVotes('other', 0);
});
