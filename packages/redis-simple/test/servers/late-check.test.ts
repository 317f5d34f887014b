import { ConfigError, type LockEvent } from '@holdfast/core';
import type { Backend } from '@holdfast/core/backend';
import { afterEach, describe, expect, test } from 'vitest';
import { attempt, contend, lockOf, take, until } from '../../../../test/support/contending.ts';
import { World } from './support/world.ts';

const RIGHTS = '~holdfast:v1:* &holdfast:v1:* -@all +evalsha +eval +get +set +pttl +pexpire +time';

let world: World;
afterEach(() => world.close());

/** Opens locks as the user `app` while the server is down, and starts it. */
async function openedEarly(
  { rights, args = [] }: { readonly rights: string; readonly args?: readonly string[] },
  options: { readonly waitReplicas?: number; readonly password?: string } = {},
): Promise<Backend> {
  const user = ['--user', 'app', 'on', '>secret', ...rights.split(' ')];
  world = await World.start([...args, ...user]);
  world.server.kill();
  const { password = 'secret', ...rest } = options;
  const source = `redis://app:${password}@127.0.0.1:${world.server.port}`;
  const backend = await world.open({ source, ...rest });
  expect(codes()).toEqual(['unchecked-node']);
  await world.server.restart();
  return backend;
}

const codes = (): readonly string[] => warnings().map(({ code }) => code);
const warnings = (): readonly Extract<LockEvent, { type: 'warning' }>[] =>
  world.events.flatMap((event) => (event.type === 'warning' ? [event] : []));

/** The first attempt that the server replied to. */
async function served(backend: Backend, key: string): Promise<unknown> {
  let outcome: unknown;
  await until(async () => {
    const tried = await attempt(contend(backend, key));
    outcome = tried.kind === 'refused' ? tried.error : tried.kind;
    return outcome !== 'unavailable';
  });
  return outcome;
}

describe('a server that was down when its locks were opened', () => {
  test('is checked before the first attempt, which is refused without a right that locks need', async () => {
    const backend = await openedEarly({ rights: `${RIGHTS} +info +publish` });

    const refusal = await served(backend, 'k');

    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toMatch(/add ACL SETUSER <user> \+del/);
    expect(await world.raw.exists(lockOf('k'))).toBe(0);
    expect((await attempt(contend(backend, 'k'))).kind).toBe('refused');
    expect(codes()).toEqual(['unchecked-node', 'unfit-node']);

    await world.raw.call('ACL', 'SETUSER', 'app', '+del');
    await (await take(backend, 'k')).release();
  });

  test('is checked in the background, though nobody calls', async () => {
    await openedEarly({ rights: `${RIGHTS} +del +info +publish` }, { password: 'wr0ng' });

    await until(() => Promise.resolve(warnings().length === 2));

    expect(warnings()[1]).toMatchObject({
      code: 'unfit-node',
      message: expect.stringMatching(/refused access: WRONGPASS/),
      cause: expect.any(ConfigError),
    });
    expect(JSON.stringify(warnings()) + String(warnings()[1]?.message)).not.toContain('wr0ng');
  });

  test('that can keep locks, less well, gives the warnings of opening, once', async () => {
    const backend = await openedEarly({
      rights: `${RIGHTS} +del +info`,
      args: ['--maxmemory-policy', 'allkeys-lru'],
    });

    await (await take(backend, 'k')).release();
    await (await take(backend, 'k')).release();

    expect(codes()).toEqual(['unchecked-node', 'missing-right', 'eviction-policy']);
  });

  test('that refuses WAIT is refused by locks that wait for replicas', async () => {
    const backend = await openedEarly(
      { rights: `${RIGHTS} +del +info +publish` },
      { waitReplicas: 1 },
    );

    expect(String(await served(backend, 'k'))).toMatch(/waitReplicas needs WAIT/);
  });

  test('and is a replica now, gets no attempt, until it is a master', async () => {
    const backend = await openedEarly({
      rights: `${RIGHTS} +del +info +publish`,
      args: ['--replicaof', '127.0.0.1', '1'],
    });
    await world.raw.ping();

    expect((await attempt(contend(backend, 'k'))).kind).toBe('unavailable');

    await world.raw.replicaof('NO', 'ONE');
    await (await take(backend, 'k')).release();
  });
});
