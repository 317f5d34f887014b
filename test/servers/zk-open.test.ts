import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { LockEvent } from '@holdfast/core';
import { Session } from '@holdfast/zk-client';
import { type Config, openLocks } from 'holdfast';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZooKeeperServer } from '../../harness/test/kit/real-servers.ts';
import { run } from '../support/run.ts';
import { startTls } from '../support/tls.ts';

/** The built command, as it is installed. */
const COMMAND = fileURLToPath(new URL('../../packages/holdfast/bin/holdfast.js', import.meta.url));

/** A folder from which `holdfast` is found like an installed package. */
const HERE = fileURLToPath(new URL('..', import.meta.url));

let server: ZooKeeperServer;

beforeAll(async () => {
  server = await ZooKeeperServer.start();
}, 60_000);
afterAll(() => server.close());

/** The server's URL with credentials, such as `me:sesame@`. */
function urlOf(credentials: string): string {
  return server.url.replace('zk://', `zk://${credentials}`);
}

type Warning = Extract<LockEvent, { type: 'warning' }>;

/** Opens locks, and records the warnings. */
async function opened(
  source: string | Config,
): Promise<{ locks: Awaited<ReturnType<typeof openLocks>>; warnings: Warning[] }> {
  const warnings: Warning[] = [];
  const locks = await openLocks(source, { on: { warning: (event) => void warnings.push(event) } });
  return { locks, warnings };
}

test('zk:// opens, locks, and says what the servers granted as the lease', async () => {
  const { locks, warnings } = await opened(`${server.url}?sessionTimeout=2000`);

  const lease = await locks.acquire('orders/42');

  expect(locks.backend).toBe('zk');
  expect(lease.fencingToken).toBeTypeOf('bigint');
  expect(lease.remainingMs()).toBeGreaterThan(0);
  expect(lease.remainingMs()).toBeLessThanOrEqual(2_000);
  expect(warnings).toEqual([]);
  await lease.release();
  await locks.close();
});

test('a configuration says the same, with ttlMs as the timeout of the session', async () => {
  const config = { backend: 'zk', url: server.url, ttlMs: 1_500, namespace: 'apart' } as const;
  const { locks } = await opened(config);
  const session = await Session.open({ servers: [server.address] });

  await locks.use('a', async (lease) => {
    expect(lease.remainingMs()).toBeLessThanOrEqual(1_500);
    await session.exists('/apart/v1/locks/a').then(({ stat }) => expect(stat).toBeDefined());
  });

  await session.close();
  await locks.close();
});

test('a session timeout outside the bounds of the servers is used as they granted it, and reported', async () => {
  const { locks, warnings } = await opened(`${server.url}?sessionTimeout=100`);

  expect(warnings).toEqual([
    expect.objectContaining({
      code: 'session-timeout',
      message: expect.stringMatching(/timeout of 100 ms, and the servers grant 200 ms/),
    }),
  ]);
  await locks.close();
});

test('a ttl for one call, and a longer extension, are refused: the session has the ttl', async () => {
  const { locks } = await opened(`${server.url}?sessionTimeout=2000`);
  const refused = expect.objectContaining({ name: 'CapabilityError' });

  await expect(locks.acquire('a', { ttlMs: 5_000 })).rejects.toThrow(refused);
  await locks.use('a', async (lease) => {
    await expect(lease.extend(60_000)).rejects.toThrow(refused);
  });
  await locks.close();
});

test('a chroot that is not there is named when locks are opened', async () => {
  await expect(openLocks(`${server.url}/nowhere`)).rejects.toThrow(
    expect.objectContaining({
      name: 'ConfigError',
      message: expect.stringMatching(/the chroot \/nowhere does not exist/),
    }),
  );
});

test('below a chroot nothing else is touched', async () => {
  const session = await Session.open({ servers: [server.address] });
  await session.create('/team', '');
  const before = await session.getChildren('/');
  const { locks } = await opened(`${server.url}/team`);

  await locks.use('a', () => {});

  expect((await session.getChildren('/')).children.toSorted()).toEqual(before.children.toSorted());
  expect((await session.getChildren('/team')).children).toEqual(['holdfast']);
  await locks.close();
  await session.close();
});

test.for(['me:wrong@', ''])(
  'with credentials the locks are the user’s own: who comes as "%s" is refused, by an error without passwords',
  async (credentials) => {
    const own = { backend: 'zk', namespace: 'guarded' } as const;
    const { locks } = await opened({ ...own, url: urlOf('me:sesame@') });
    await locks.use('a', () => {});

    const error: unknown = await openLocks({ ...own, url: urlOf(credentials) }).catch(
      (cause: unknown) => cause,
    );

    expect(error).toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/locks cannot be kept under \/guarded\/v1\/locks: .*NOAUTH/),
    });
    expect(String(error)).not.toMatch(/sesame|wrong/);
    await locks.close();
  },
);

test('servers that are down can be opened, within seconds, and every attempt says so', {
  timeout: 60_000,
}, async () => {
  const { locks, warnings } = await opened('zk://127.0.0.1:1,127.0.0.1:2');
  const attempt = locks.acquire('a', { waitMs: 500 });

  await expect(attempt).rejects.toThrow(
    expect.objectContaining({ name: 'BackendUnavailableError', backend: 'zk', key: 'a' }),
  );
  expect(warnings.map(({ code }) => code)).toEqual(['unchecked-ensemble']);
  await locks.close();
});

test('a process that closes locks whose servers are down ends at once', {
  timeout: 60_000,
}, async () => {
  const source = `
    import { openLocks } from 'holdfast';
    setTimeout(() => process.exit(99), 30_000).unref();
    const locks = await openLocks('zk://127.0.0.1:1', { on: { warning: () => {} } });
    await locks.close();
    // The next opening would continue for 5 s.
    setTimeout(() => { console.log('still here'); process.exit(98); }, 3_000).unref();`;
  const ran = await run(process.execPath, ['--input-type=module', '--eval', source], { cwd: HERE });

  expect(ran).toMatchObject({ code: 0, output: '' });
});

test('servers whose certificate is refused are named with the reason, by errors and by health', {
  timeout: 60_000,
}, async () => {
  const secure = await startTls(server.port);
  const config = { backend: 'zk', url: `zk://localhost:${secure.port}`, tls: {} } as const;
  const { locks } = await opened(config);

  const attempt = locks.acquire('a', { waitMs: 0 });

  await expect(attempt).rejects.toThrow(/self-signed certificate/);
  expect((await locks.health()).nodes).toMatchObject([
    { ok: false, detail: expect.stringMatching(/self-signed certificate/) },
  ]);
  await locks.close();
  secure.server.close();
});

test('a command that asks servers which are down says so, and ends', {
  timeout: 60_000,
}, async () => {
  const { code, output } = await run(process.execPath, [
    COMMAND,
    'inspect',
    'a',
    '--on',
    'zk://me:sesame@127.0.0.1:1',
  ]);

  expect(output).toMatch(/^holdfast: zk: no reply about key "a"/);
  expect(output).not.toContain('sesame');
  expect(code).toBe(1);
});

test('a server that is not ZooKeeper is reported within seconds, too', {
  timeout: 60_000,
}, async () => {
  const stranger = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  stranger.listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const address = stranger.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  const { locks, warnings } = await opened(`zk://127.0.0.1:${port}`);

  expect(warnings.map(({ code }) => code)).toEqual(['unchecked-ensemble']);
  await locks.close();
  stranger.close();
});

test('a requirement that zk does not meet is said before anything connects', async () => {
  await expect(openLocks('zk://127.0.0.1:1', { require: ['per-call-ttl'] })).rejects.toThrow(
    expect.objectContaining({ name: 'CapabilityError' }),
  );
});

test('a literal requirement of strict fencing, of a queue and of consensus is met', async () => {
  const locks = await openLocks(server.url, { require: ['strict-fencing', 'fifo', 'cp'] });

  const token: bigint = await locks.use('a', ({ fencingToken }) => fencingToken);

  expect(token).toBeGreaterThan(0n);
  await locks.close();
});
