import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LIBRARIES, World } from '../../packages/redis/test/kit/real-node.ts';
import { type RunResult, run } from '../support/run.ts';

/** Far above what any of these needs, and below the test's limit: what hangs is killed, and seen by its code. */
const KILL_AFTER_MS = 15_000;

/** A connection that is left to this limit is seen as hanging. */
const CONNECT_MS_LONG = 60_000;

/** Runs a script in a process of its own, with `node` opened on `url` and `inMs` for deadlines. */
function inProcess(
  library: string,
  url: string,
  script: string,
  connectMs = 1_000,
): Promise<RunResult> {
  const source = `
    import { systemRuntime } from '@holdfast/core/backend';
    import { openRedisNode } from '@holdfast/redis';
    setTimeout(() => process.exit(99), ${KILL_AFTER_MS}).unref();
    const runtime = systemRuntime();
    const inMs = (ms) => runtime.now().monotonicMs + ms;
    const node = await openRedisNode('${url}', { runtime, library: '${library}', connectMs: ${connectMs} });
    process.on('exit', () => console.log('exit'));
    ${script}`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return run(process.execPath, ['--input-type=module', '--eval', source], { cwd });
}

export type Library = (typeof LIBRARIES)[number];

/** When a process ends that has a node through this library, and locks over it. */
export function describeExit(library: Library): void {
  describe(`a process with a node through ${library}`, () => {
    ofNode(library);
  });
  describe(`a process with locks through ${library}`, () => {
    ofLocks(library);
  });
}

function ofNode(library: Library): void {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.close());

  test('ends by itself when nobody waits for anything, with both connections open', async () => {
    const ran = await inProcess(
      library,
      world.server.url,
      `await node.command(['SET', 'k', 'v'], { deadlineMs: inMs(5_000) });
       await node.subscribe('c', () => undefined);
       console.log('idle');`,
    );

    expect(ran).toMatchObject({ code: 0, output: 'idle\nexit\n' });
  });

  test('ends by itself although it was just opened', async () => {
    const ran = await inProcess(library, world.server.url, '');

    expect(ran).toMatchObject({ code: 0, output: 'exit\n' });
  });

  test('ends by itself while it tries to reach a server that is down', async () => {
    const gone = await World.start();
    const { url } = gone.server;
    await gone.close();

    const ran = await inProcess(
      library,
      url,
      `await node.command(['PING'], { deadlineMs: inMs(5_000) }).catch((error) => console.log(error.name));`,
    );

    expect(ran).toMatchObject({ code: 0, output: 'NodeUnavailable\nexit\n' });
  });

  test('ends by itself when it closes the node just after opening it', async () => {
    const ran = await inProcess(library, world.server.url, 'await node.close();');

    expect(ran).toMatchObject({ code: 0, output: 'exit\n' });
  });

  test('ends by itself when it closes the node while a server that is stopped is dialled', async () => {
    const stopped = await World.start();
    stopped.server.stop();

    const ran = await inProcess(
      library,
      stopped.server.url,
      'setImmediate(() => node.close());',
      CONNECT_MS_LONG,
    );
    await stopped.close();

    expect(ran).toMatchObject({ code: 0, output: 'exit\n' });
  });

  test('ends by itself when it closes the node while nobody answers its SYN', async () => {
    const full = await World.start({ args: ['--tcp-backlog', '1'] });
    full.server.stop();
    const queue = [1, 2, 3, 4].map(() => connect(full.server.port, '127.0.0.1'));
    for (const socket of queue) socket.on('error', () => undefined);
    // The kernel accepts two of them for the server, and no more.
    await Promise.all(queue.slice(0, 2).map((socket) => once(socket, 'connect')));

    const ran = await inProcess(
      library,
      full.server.url,
      'setImmediate(() => setImmediate(() => node.close()));',
      CONNECT_MS_LONG,
    );
    for (const socket of queue) socket.destroy();
    await full.close();

    expect(ran).toMatchObject({ code: 0, output: 'exit\n' });
  });

  test('lives as long as somebody awaits a call that gets no reply', async () => {
    const silent = await World.start();

    const ran = await inProcess(
      library,
      silent.proxy.url,
      `await node.command(['PING'], { deadlineMs: inMs(5_000) });
       process.kill(${silent.server.pid}, 'SIGSTOP');
       await node.command(['PING'], { deadlineMs: inMs(400) }).catch((error) => console.log(error.name));`,
    );
    await silent.close();

    expect(ran).toMatchObject({ code: 0, output: 'NodeDoubt\nexit\n' });
  });

  test('lives as long as somebody awaits a call that finds no connection', async () => {
    const silent = await World.start();
    silent.proxy.cut();

    const ran = await inProcess(
      library,
      silent.proxy.url,
      `await node.command(['PING'], { deadlineMs: inMs(400) }).catch((error) => console.log(error.name));`,
    );
    await silent.close();

    expect(ran).toMatchObject({ code: 0, output: 'NodeUnavailable\nexit\n' });
  });
}

/** Runs a script in a process of its own, with a waiter for a key on these servers that has just begun to listen. */
function withWaiter(library: string, config: object, script: string): Promise<RunResult> {
  const source = `
    import { openLocks } from 'holdfast';
    setTimeout(() => process.exit(99), ${KILL_AFTER_MS}).unref();
    const config = ${JSON.stringify({ ...config, library })};
    const holder = await openLocks(config);
    const lease = await holder.acquire('k');
    const locks = await openLocks(config);
    const waiting = new Promise((done) => locks.on('contended', done));
    const waiter = locks.acquire('k').catch((error) => console.log(error.name));
    await waiting;
    ${script}
    await waiter;
    await lease.release();
    await holder.close();`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return run(process.execPath, ['--input-type=module', '--eval', source], { cwd });
}

function ofLocks(library: Library): void {
  let worlds: readonly World[];
  beforeAll(async () => {
    worlds = await Promise.all([1, 2, 3].map(() => World.start()));
  });
  afterAll(() => Promise.all(worlds.map((world) => world.close())));

  test.each(['redis-simple', 'redlock'])(
    'of %s ends by itself when it closes them as a waiter begins',
    async (backend) => {
      const [url = '', ...more] = worlds.map(({ server }) => server.url);
      const config = backend === 'redlock' ? { nodes: [url, ...more] } : { url };

      const ran = await withWaiter(library, { backend, ...config }, 'await locks.close();');

      expect(ran).toMatchObject({ code: 0, output: 'LockError\n' });
    },
  );
}
