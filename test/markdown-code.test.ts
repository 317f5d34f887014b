import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PUBLISHED } from './packing/packed.ts';
import { pageAt } from './support/markdown.ts';
import { run } from './support/run.ts';
import { root } from './support/source-file.ts';

const PAGES = [
  'README.md',
  'docs/start/quick-start.md',
  'docs/guides/configuration.md',
  'docs/guides/errors-and-events.md',
  'docs/guides/holding.md',
  'docs/guides/fencing.md',
  ...PUBLISHED.map((folder) => `${folder}/README.md`),
];

/** Declarations of the names that the code on a page uses without defining them. */
const AMBIENT = `
declare global {
  const locks: import('holdfast').Locks;
  const order: { readonly id: string };
  const key: string, ttlMs: number, waitMs: number, signal: AbortSignal, keepMs: number;
  const source: string, options: object;
  const body: () => Promise<void>;
  const server: import('node:http').Server;
  interface Job { readonly order: typeof order; readonly lease: string }
  const queue: { send(job: Job): Promise<void>; onJob(work: (job: Job) => Promise<void>): void };
  function charge(what: typeof order, how?: { signal?: AbortSignal; fencingToken?: bigint }): Promise<void>;
  function retryLater(what: typeof order): Promise<void>;
  function verify(what: typeof order): Promise<void>;
  function log(...what: unknown[]): void;
  function stepDown(): void;
}
export {};
`;

const OPTIONS =
  '--noEmit --strict --skipLibCheck --allowImportingTsExtensions --module nodenext --target es2022 --lib es2023,esnext.disposable --types node --checkers 1';

/** Inside of the workspace, so that its packages are found. */
mkdirSync(join(root, 'test/out'), { recursive: true });
const folder = mkdtempSync(join(root, 'test/out/markdown-'));
let complaints: string;

/** Every block is a module of its own. */
function blocksOf(path: string): readonly string[] {
  const blocks = pageAt(path).text.matchAll(/^```ts\n([\s\S]*?)^```/gm);
  return Array.from(blocks, ([, code = '']) => code);
}

function fileOf(path: string, n: number): string {
  return `${path.replaceAll(/[/.]/g, '-')}-${n + 1}.mts`;
}

beforeAll(async () => {
  const files = PAGES.flatMap((path) =>
    blocksOf(path).map((code, n) => ({ name: fileOf(path, n), code })),
  );
  files.push({ name: 'ambient.d.mts', code: AMBIENT });
  for (const { name, code } of files) writeFileSync(join(folder, name), `${code}\nexport {};\n`);
  const paths = files.map(({ name }) => join(folder, name));
  complaints = (
    await run(
      join(root, 'node_modules/.bin/tsc'),
      ['--ignoreConfig', ...OPTIONS.split(' '), ...paths],
      { cwd: root },
    )
  ).stdout;
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(PAGES)('the TypeScript on %s compiles', (path) => {
  const named = blocksOf(path).map((_, n) => fileOf(path, n));
  const lines = complaints
    .split('\n')
    .filter((line) => named.some((name) => line.includes(`/${name}`)));

  expect(named).not.toEqual([]);
  expect(lines).toEqual([]);
});

test('nothing but what is on the pages is complained about', () => {
  expect(complaints).toBe('');
});
