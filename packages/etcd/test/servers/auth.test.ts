import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, type LockEvent } from '@holdfast/core';
import { type Backend, createHost } from '@holdfast/core/backend';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EtcdServer, etcdctl } from '../../../../harness/test/kit/real-servers.ts';
import { contend, take } from '../../../../test/support/contending.ts';
import { CERTIFICATE, KEY } from '../../../../test/support/tls-server.ts';
import { openGrpcClient } from '../../src/adapters/grpc.ts';
import { type EtcdOptions, openEtcd } from '../../src/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-etcd-'));
const cert = join(folder, 'cert.pem');
const key = join(folder, 'key.pem');
const TRUSTED = { ca: CERTIFICATE };
const ORDERS = { user: 'orders', password: 'p@ss:w/rd' };

let server: EtcdServer;
const backends: Backend[] = [];
beforeAll(async () => {
  writeFileSync(cert, CERTIFICATE);
  writeFileSync(key, KEY);
  server = await EtcdServer.start({ tls: { cert, key }, args: ['--auth-token-ttl=1'] });
  await ctl('user', 'add', 'root:r00t');
  await ctl('user', 'add', `${ORDERS.user}:${ORDERS.password}`);
  await ctl('role', 'add', 'root');
  await ctl('user', 'grant-role', 'root', 'root');
  await ctl('role', 'add', 'locks');
  await ctl('role', 'grant-permission', '--prefix=true', 'locks', 'readwrite', 'holdfast/v1/');
  await ctl('user', 'grant-role', ORDERS.user, 'locks');
  await ctl('auth', 'enable');
});
afterEach(async () => {
  await Promise.all(backends.splice(0).map((backend) => backend.close({ timeoutMs: 100 })));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function ctl(...args: readonly string[]): Promise<string> {
  return etcdctl(`https://${server.address}`, [`--cacert=${cert}`, ...args]);
}

async function open(
  options: Partial<EtcdOptions>,
): Promise<{ backend: Backend; events: LockEvent[] }> {
  const events: LockEvent[] = [];
  const host = {
    ...createHost({ label: 'a' }),
    emit: (event: LockEvent) => void events.push(event),
  };
  const backend = await openEtcd({ servers: [server.address], tls: TRUSTED, ...options }, host);
  backends.push(backend);
  return { backend, events };
}

describe('a user with a password, over TLS', () => {
  test('locks, and gets a new token when the old one has expired', async () => {
    const { backend } = await open({ auth: ORDERS });
    const grant = await take(backend, 'orders/1');
    // Tokens last for a second after their latest use.
    await new Promise((done) => setTimeout(done, 2_500));

    expect((await grant.renew(30_000)).kind).toBe('renewed');
    expect(await grant.release()).toEqual({ kind: 'released' });
  });

  test('watches again on another stream when the token of the first has expired', async () => {
    const { runtime } = createHost({ label: 'a' });
    const servers = [server.address];
    const client = await openGrpcClient({ servers, auth: ORDERS, tls: TRUSTED }, runtime);
    const watch = (name: string): Promise<string> =>
      new Promise((told) => {
        client.watch(`holdfast/v1/locks/${name}`, 1n, {
          created: () => told('created'),
          deleted: () => told('deleted'),
          ended: (cause) => told(String(cause)),
        });
      });
    expect(await watch('a')).toBe('created');
    await new Promise((done) => setTimeout(done, 2_500));
    const endMs = runtime.now().monotonicMs + 5_000;
    await client.range({ kind: 'read', key: 'holdfast/v1/locks/' }, endMs);

    expect(await watch('b')).toContain('no watch');
    expect(await watch('b')).toBe('created');
    client.close();
  });

  test('with another password is refused when the locks are opened, and not shown', async () => {
    const wrong = open({ auth: { ...ORDERS, password: 'secret' } });

    await expect(wrong).rejects.toThrow(ConfigError);
    await expect(wrong).rejects.not.toThrow('secret');
  });

  test('is refused what its role may not write', async () => {
    await expect(open({ auth: ORDERS, namespace: 'billing' })).rejects.toThrow(ConfigError);
  });

  test('is asked for where nobody may lock without', async () => {
    await expect(open({})).rejects.toThrow(ConfigError);
  });
});

describe('a certificate', () => {
  test('that nobody trusts is none: the server counts as not reached', async () => {
    const { backend, events } = await open({ tls: {}, auth: ORDERS });
    const contender = contend(backend, 'orders/2');

    expect(events).toContainEqual(expect.objectContaining({ code: 'unchecked-servers' }));
    expect((await contender.attempt(Number.MAX_SAFE_INTEGER)).kind).toBe('unavailable');
    await contender.withdraw();
  });

  test('may have another name than the address, if that is said', async () => {
    const { backend } = await open({
      tls: { ...TRUSTED, servername: 'localhost' },
      auth: ORDERS,
    });
    const grant = await take(backend, 'orders/3');
    expect(await grant.release()).toEqual({ kind: 'released' });
  });

  test('that cannot be read is refused before anything is sent', async () => {
    await expect(open({ tls: { ca: 'x', cert: 'none' } })).rejects.toThrow(ConfigError);
  });
});
