import { once } from 'node:events';
import type { Server } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../harness/src/processes/free-ports.ts';
import { Proxy } from '../../../../harness/src/processes/proxy/proxy.ts';
import { ZooKeeperServer } from '../../../../harness/src/servers/zookeeper/real/zookeeper-server.ts';
import { bundle } from '../../../../test/support/bundle.ts';
import { Child, type ProcessEnd } from '../../../../test/support/child.ts';
import { networkOf } from './support/play-check.ts';
import { CHECKS } from './support/session-checks.ts';
import { portOf, startTrickle } from './support/trickle.ts';

interface Told {
  readonly check: string;
  readonly started?: boolean;
  readonly error?: string;
}

function isTold(message: unknown): message is Told {
  return typeof message === 'object' && message !== null && 'check' in message;
}

/** In a process of its own: the library is known to abort, which must be told as its own. */
describe('a session through npm zookeeper', () => {
  let server: ZooKeeperServer;
  let proxy: Proxy;
  let trickle: Server;
  let told: readonly Told[] = [];
  let end: ProcessEnd;

  beforeAll(async () => {
    server = await ZooKeeperServer.start({
      properties: { 'znode.container.checkIntervalMs': 200 },
    });
    proxy = await Proxy.start(server.port);
    trickle = await startTrickle(server.port);
    const nowhere = await freePort();
    const child = await Child.start('../packages/zk/test/servers/support/native-process.ts', {
      args: [
        server.address,
        `127.0.0.1:${proxy.port}`,
        `127.0.0.1:${portOf(trickle)}`,
        `127.0.0.1:${nowhere}`,
      ],
      serve: { ...networkOf(proxy) },
    });
    end = await child.ended;
    told = child.received.filter(isTold);
  }, 120_000);

  afterAll(async () => {
    trickle.close();
    await proxy.close();
    await server.close();
  });

  test.each(CHECKS.map(({ name }) => name))('%s', (name) => {
    const [started, outcome] = told.filter(({ check }) => check === name);

    const when = started === undefined ? 'before it' : 'in it';
    const aborted = `the process ended ${when}: ${end.signal ?? end.code} ${end.errors}`;
    expect(outcome ?? aborted).toEqual({ check: name });
  });

  test('no rejection is left unhandled', () => {
    expect(told.filter(({ check }) => check === 'no rejection is left unhandled')).toEqual([]);
  });
});

test('npm zookeeper is not loaded on a worker thread, which could end the process', async () => {
  const worker = new Worker(await bundle('../packages/zk/test/servers/support/worker-process.ts'));

  const [said]: unknown[] = await once(worker, 'message');

  expect(said).toBe('ConfigError');
  await worker.terminate();
});
