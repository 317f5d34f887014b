import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunResult, run } from '../../../../test/support/run.ts';
import { World } from './support/zk-client-world.ts';

/** Far above what any of these needs, and below the test's limit: what hangs is killed, and seen by its code. */
const KILL_AFTER_MS = 15_000;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

/** Runs a script in a process of its own, with `session` opened, or `open` to open one. */
function inProcess(script: string, { opened = true } = {}): Promise<RunResult> {
  const source = `
    import { Session } from '@holdfast/zk-client';
    import { connect, createServer } from 'node:net';
    import { Worker } from 'node:worker_threads';
    setTimeout(() => process.exit(99), ${KILL_AFTER_MS}).unref();
    const servers = ['${world.server.address}'];
    const open = (options) => Session.open({ servers, sessionTimeoutMs: 2_000, ...options });
    process.on('exit', () => console.log('exit'));
    ${opened ? 'const session = await open();' : ''}
    ${script}`;
  const cwd = fileURLToPath(new URL('../../../../test', import.meta.url));
  return run(process.execPath, ['--input-type=module', '--eval', source], { cwd });
}

describe('a process with a session', () => {
  test('ends by itself when nobody waits for anything', async () => {
    const ran = await inProcess(
      `await session.existsWatch('/', () => undefined);
       session.quicken();
       console.log('idle');`,
    );

    expect(ran).toMatchObject({ code: 0, output: 'idle\nexit\n' });
  });

  test('waits for a request on the wire', async () => {
    const ran = await inProcess(
      `void session.exists('/').then(({ stat }) => console.log(typeof stat));`,
    );

    expect(ran).toMatchObject({ code: 0, output: 'object\nexit\n' });
  });

  test('waits for opening, to its deadline when no server is there', async () => {
    const ran = await inProcess(
      `void open({ servers: ['127.0.0.1:1'], openMs: 300 }).catch((error) => console.log(error.code));`,
      { opened: false },
    );

    expect(ran).toMatchObject({ code: 0, output: 'NO_SERVER\nexit\n' });
  });

  test('does not wait for an opening that nobody awaits', async () => {
    const ran = await inProcess(
      `void open({ servers: ['127.0.0.1:1'], openMs: 60_000, awaited: false });`,
      { opened: false },
    );

    expect(ran).toMatchObject({ code: 0, output: 'exit\n' });
  });

  test('ends at once when opening is aborted while no server is there', async () => {
    const ran = await inProcess(
      `const aborted = new AbortController();
       setTimeout(() => aborted.abort(), 100);
       await open({ servers: ['127.0.0.1:1'], openMs: 60_000, signal: aborted.signal })
         .catch((error) => console.log(error.code));`,
      { opened: false },
    );

    expect(ran).toMatchObject({ code: 0, output: 'ABORTED\nexit\n' });
  });

  test('ends at once when it is closed while nobody listens any more', async () => {
    const ran = await inProcess(
      `const relay = createServer((client) => {
         const server = connect(${world.server.port}, '127.0.0.1');
         for (const socket of [client, server]) sockets.push(socket.on('error', () => undefined));
         client.pipe(server).pipe(client);
       });
       const sockets = [];
       await new Promise((done) => relay.listen(0, '127.0.0.1', done));
       const lost = await open({ servers: ['127.0.0.1:' + relay.address().port] });
       relay.close();
       for (const socket of sockets) socket.destroy();
       await lost.close({ timeoutMs: 60_000 });
       console.log(lost.state);`,
      { opened: false },
    );

    expect(ran).toMatchObject({ code: 0, output: 'closed\nexit\n' });
  });

  test('waits until closing is over, after which nothing is left', async () => {
    const ran = await inProcess(`void session.close().then(() => console.log(session.state));`);

    expect(ran).toMatchObject({ code: 0, output: 'closed\nexit\n' });
  });

  test('ends by itself while it tries to reach a server that is gone, and rejects nothing unseen', async () => {
    const ran = await inProcess(
      `process.on('unhandledRejection', () => console.log('unhandled'));
       const sockets = [];
       const relay = createServer((client) => {
         const server = connect(${world.server.port}, '127.0.0.1');
         for (const socket of [client, server]) sockets.push(socket.on('error', () => undefined));
         client.pipe(server).pipe(client);
       });
       await new Promise((done) => relay.listen(0, '127.0.0.1', done));
       const lost = await open({ servers: ['127.0.0.1:' + relay.address().port] });
       await lost.existsWatch('/a', () => undefined);
       lost.quicken();
       const waiting = setInterval(() => undefined, 1_000);
       lost.onState((state) => {
         console.log(state);
         clearInterval(waiting);
       });
       relay.close();
       for (const socket of sockets) socket.destroy();`,
      { opened: false },
    );

    expect(ran).toMatchObject({ code: 0, output: 'disconnected\nexit\n' });
  });

  test('may use it in several worker threads and the main thread at once', async () => {
    const ran = await inProcess(
      `const work = async (open, name) => {
         const mine = await open();
         for (let i = 0; i < 50; i++) {
           const { path } = await mine.create('/' + name + '-', '', { mode: 'ephemeral-sequential' });
           await mine.delete(path);
         }
         await mine.close();
       };
       const source = \`
         import('@holdfast/zk-client').then(async ({ Session }) => {
           const open = () => Session.open({ servers: \${JSON.stringify(servers)} });
           await (\${work})(open, 'worker');
         });\`;
       const workers = [1, 2, 3].map(() => new Promise((done, fail) => {
         const worker = new Worker(source, { eval: true });
         worker.once('error', fail);
         worker.once('exit', done);
       }));
       await work(open, 'main');
       console.log(JSON.stringify(await Promise.all(workers)));
       console.log((await session.getChildren('/')).children.join());`,
    );

    expect(ran).toMatchObject({ code: 0, output: '[0,0,0]\nzookeeper\nexit\n' });
  });
});
