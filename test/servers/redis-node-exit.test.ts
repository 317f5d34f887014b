import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ran, run } from '../support/run.ts';
import { LIBRARIES, World } from './redis-node-world.ts';

/** Far above what any of these needs, and below the test's limit: what hangs is killed, and seen by its code. */
const KILL_AFTER_MS = 15_000;

/** Runs a script in a process of its own, with `node` opened on `url` and `inMs` for deadlines. */
function inProcess(library: string, url: string, script: string): Promise<Ran> {
  const source = `
    import { systemRuntime } from '@holdfast/core';
    import { openRedisNode } from '@holdfast/redis';
    setTimeout(() => process.exit(99), ${KILL_AFTER_MS}).unref();
    const runtime = systemRuntime();
    const inMs = (ms) => runtime.now().monotonicMs + ms;
    const node = await openRedisNode('${url}', { runtime, library: '${library}', connectMs: 1_000 });
    process.on('exit', () => console.log('exit'));
    ${script}`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return run(process.execPath, ['--input-type=module', '--eval', source], { cwd });
}

describe.each(LIBRARIES)('a process with a node through %s', (library) => {
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
});
