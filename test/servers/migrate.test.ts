import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisServer } from '../../harness/test/kit/real-servers.ts';
import { pageAt } from '../support/markdown.ts';
import { runChecked } from '../support/run.ts';
import { root } from '../support/source-file.ts';

/** Inside of the workspace, so that its packages are found. */
mkdirSync(join(root, 'test/out'), { recursive: true });
const folder = mkdtempSync(join(root, 'test/out/migrate-'));
let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** What the samples call: it prints the keys of Redis that are taken while the order is charged. */
const PRELUDE = `
import { Redis as Client } from 'ioredis';
const looking = new Client(process.env.REDIS_URL);
await looking.flushall();
const order = { id: '42' };
const charge = async () => console.log('charged under', (await looking.keys('*')).toSorted().join());
`;

/** The old halves are JavaScript, the new ones TypeScript without a type, which is JavaScript, too. */
function samplesOf(page: string): readonly string[] {
  const blocks = pageAt(`docs/migrate/${page}.md`).text.matchAll(/^```[jt]s\n([\s\S]*?)^```/gm);
  return Array.from(blocks, ([, code = '']) => code);
}

/** Runs the samples of a page one after the other, in one process, and returns the line that each prints. */
async function printed(page: string): Promise<readonly string[]> {
  const files = samplesOf(page).map((code, n) => {
    const installed = code.replaceAll("from 'redlock'", "from 'redlock-5'");
    const name = `${page}-${n}.mjs`;
    writeFileSync(join(folder, name), `${PRELUDE}${installed}\nawait looking.quit();\n`);
    return name;
  });
  const main = join(folder, `${page}.mjs`);
  writeFileSync(main, files.map((name) => `await import('./${name}');\n`).join(''));
  const env = { REDIS_URL: `redis://127.0.0.1:${server.port}` };
  const { stdout } = await runChecked(process.execPath, [main], { cwd: root, env });
  return stdout.trimEnd().split('\n');
}

const PAGES = [
  ['redlock', 'orders/42', 3],
  ['redis-semaphore', 'mutex:orders/42', 2],
  ['verrou', 'orders/42', 2],
] as const;

test.each(PAGES)('old and new halves on the page of %s hold one key', async (page, key, count) => {
  expect(await printed(page)).toEqual(Array.from({ length: count }, () => `charged under ${key}`));
});

test('the samples on the page of async-mutex run, without a server and with one', async () => {
  expect(await printed('async-mutex')).toEqual([
    'charged under ',
    'charged under ',
    expect.stringContaining('holdfast:v1:{orders/42}'),
  ]);
});
