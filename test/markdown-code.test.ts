import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Example, examplesOf, exportersOf } from './api/examples.ts';
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
  'docs/guides/guards.md',
  'docs/guides/telemetry.md',
  'docs/guides/frameworks.md',
  'docs/migrate/redlock.md',
  'docs/migrate/redis-semaphore.md',
  'docs/migrate/verrou.md',
  'docs/migrate/async-mutex.md',
  'docs/migrate/jvm.md',
  ...PUBLISHED.map((folder) => `${folder}/README.md`),
];

const PACKAGES = readdirSync(join(root, 'packages'));

/** Declarations of the names that the code on a page, or an example, uses without defining them. */
const AMBIENT = `
declare global {
  const locks: import('holdfast').Locks;
  const order: { readonly id: string };
  const key: string, ttlMs: number, waitMs: number, signal: AbortSignal, keepMs: number;
  const source: string, options: object;
  const body: () => Promise<void>;
  const server: import('node:http').Server;
  interface Job { readonly order: typeof order; readonly lease: string }
  const queue: { send(job: Job): Promise<void>; receive(): Promise<Job>; onJob(work: (job: Job) => Promise<void>): void };
  function charge(what: typeof order, how?: { signal?: AbortSignal; fencingToken?: bigint }): Promise<void>;
  function retryLater(what: typeof order): Promise<void>;
  function verify(what: typeof order): Promise<void>;
  function log(...what: unknown[]): void;
  function stepDown(): void;
}
export {};
`;

/** Declarations of what only examples in docstrings use; on a page they would hide that a name is not defined. */
const OF_EXAMPLES = `
import type * as core from '@holdfast/core/backend';
import type * as redis from '@holdfast/redis';
import type * as guard from '@holdfast/guard';
export declare const error: unknown;
export declare const lease: import('holdfast').Lease;
export declare const payment: object;
export declare const bank: { transfer(what: object): Promise<void> };
export declare function move(amount: number, tokens: ReadonlyMap<string, bigint | undefined>): Promise<void>;
export declare function cleanUp(how?: object): Promise<number>;
export declare function send(): Promise<void>;
export declare const host: core.ListenableHost;
export declare const backend: core.Backend;
export declare const grant: core.Grant;
export declare const grants: readonly core.Grant[];
export declare const store: core.MemoryStore;
export declare const checks: core.SharedCheck;
export declare function checkEpoch(): Promise<void>;
export declare const owner: string;
export declare const exported: string;
export declare const namespace: unknown;
export declare const deadlineMs: number;
export declare const bytes: Uint8Array;
export declare const path: string;
export declare const subject: import('@holdfast/conformance').BackendUnderTest;
export declare const node: redis.RedisNode;
export declare const recipe: Omit<redis.RecipeParts, 'runtime' | 'nodes' | 'ownsNodes' | 'health'>;
export declare const ACQUIRE: redis.Script;
export declare const RENEW: redis.Script;
export declare const RELEASE: redis.Script;
export declare const pendingReleases: redis.PendingReleases;
export declare function dialTo(address: string): import('@holdfast/redis/links').Dialer;
export declare const zk: import('@holdfast/zk/port').ZooKeeperSession;
export declare const etcd: import('@holdfast/etcd/port').EtcdClient;
export declare const session: import('@holdfast/zk-client').Session;
export declare const client: import('@holdfast/postgres').PgTransaction;
export declare const pgDialer: import('@holdfast/postgres/sessions').Dialer;
export declare const pool: guard.PgPool;
export declare const sql: guard.PostgresJs<guard.PostgresJsTransaction>;
export declare const kysely: guard.KyselyDatabase<guard.KyselyTransaction<object>>;
export declare const CompiledQuery: { raw(sql: string, params: unknown[]): object };
export declare const drizzle: guard.DrizzleDatabase<guard.DrizzleTransaction<object>>;
export declare function drizzleSql(text: TemplateStringsArray, ...params: unknown[]): object;
export declare const prisma: guard.PrismaClient<guard.PrismaTransaction>;
export declare const mysqlPool: guard.Mysql2Pool;
export declare const sqlite: guard.SqliteDatabase;
export declare const ioredis: guard.IoredisEval & { get(key: string): Promise<string | null> };
export declare const app: {
  use(handler: guard.HttpGuard['express']): void;
  post(path: string, handler: (request: guard.HttpRequest) => Promise<void>): void;
};
export declare const Module: typeof import('@nestjs/common').Module;
export declare const Injectable: typeof import('@nestjs/common').Injectable;
export declare const Inject: typeof import('@nestjs/common').Inject;
export declare const health: import('@holdfast/nestjs').HoldfastHealth;
export declare const terminus: { check(all: (() => Promise<object>)[]): Promise<object> };
export declare const fastify: { addHook(name: 'preHandler', hook: guard.HttpGuard['fastify']): void };
`;

const OPTIONS =
  '--noEmit --strict --experimentalDecorators --skipLibCheck --allowImportingTsExtensions --module nodenext --target es2022 --lib es2023,esnext.disposable --types node --checkers 1';

type Exporters = ReturnType<typeof exportersOf>;

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

const EXAMPLES = new Map(PACKAGES.map((name) => [name, examplesOf(`packages/${name}`)]));

function exampleFile(package_: string, { name }: Example, n: number): string {
  return `${package_}-${n + 1}-${name}.mts`;
}

/** An example is the body of a function, since it may return; what it uses is imported. The first exporter of a name counts. */
function moduleOf(code: string, exporters: readonly Exporters[]): string {
  const imports = [...new Set(code.match(/[A-Za-z_]\w*/g))].flatMap((name) => {
    const from = exporters.find((each) => each.has(name))?.get(name);
    return from === undefined ? [] : [`import { ${name} } from '${from}';\n`];
  });
  return `${imports.join('')}async function example() {\n${code}}\n`;
}

function exampleModules(): { readonly name: string; readonly code: string }[] {
  const names = OF_EXAMPLES.matchAll(/^export declare (?:const|function) (\w+)/gm);
  const declared = new Map(Array.from(names, ([, name = '']) => [name, './of-examples.mjs']));
  const all = exportersOf(PACKAGES.map((name) => `packages/${name}`));
  return [...EXAMPLES].flatMap(([package_, examples]) => {
    const own = exportersOf([`packages/${package_}`]);
    return examples.map((example, n) => ({
      name: exampleFile(package_, example, n),
      code: moduleOf(example.code, [own, all, declared]),
    }));
  });
}

beforeAll(async () => {
  const files = PAGES.flatMap((path) =>
    blocksOf(path).map((code, n) => ({ name: fileOf(path, n), code })),
  );
  files.push(...exampleModules());
  files.push({ name: 'ambient.d.mts', code: AMBIENT });
  files.push({ name: 'of-examples.d.mts', code: OF_EXAMPLES });
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

function complaintsAbout(named: readonly string[]): readonly string[] {
  return complaints.split('\n').filter((line) => named.some((name) => line.includes(`/${name}`)));
}

test.each(PAGES)('the TypeScript on %s compiles', (path) => {
  const named = blocksOf(path).map((_, n) => fileOf(path, n));

  expect(named).not.toEqual([]);
  expect(complaintsAbout(named)).toEqual([]);
});

test.each(PACKAGES)('the examples in the docstrings of %s compile', (name) => {
  const examples = EXAMPLES.get(name) ?? [];
  const named = examples.map((example, n) => exampleFile(name, example, n));

  expect(named).not.toEqual([]);
  expect(complaintsAbout(named)).toEqual([]);
});

test('nothing but what is on the pages and in docstrings is complained about', () => {
  expect(complaints).toBe('');
});
