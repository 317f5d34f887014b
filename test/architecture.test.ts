import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_KINDS } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { LOCK_NAMES } from '../harness/test/kit/locks.ts';
import { ambientUses } from './support/ambient.ts';
import { foreignImports, wrongFaultImports } from './support/import-rules.ts';
import { layers, packageOf, wrongImports } from './support/layers.ts';
import { spelledLocks } from './support/lock-names.ts';
import { filesBelow, root, type SourceFile } from './support/source-file.ts';
import { machinePaths, oldFunctions } from './support/text-rules.ts';

const packages = readdirSync(join(root, 'packages')).toSorted();
const folders = readdirSync(join(root, 'harness/src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `harness/${name}`);
const isTypeScript = (name: string): boolean => /\.[cm]?ts$/.test(name);
const sources = [...packages.map((name) => `packages/${name}/src`), 'harness/src'].flatMap(
  (folder) => filesBelow(folder, isTypeScript),
);
const tests = ['test', ...packages.map((name) => `packages/${name}/test`), 'harness/test'].flatMap(
  (folder) => filesBelow(folder, isTypeScript),
);
/** More is two ideas. */
const LINES_MAX = 250;
const isText = (name: string): boolean =>
  /\.(?:[cm]?[jt]s|json|md|ya?ml|html|css|sh|lua)$|^run$/.test(name);

function manifestOf(name: string): Record<string, Record<string, string> | undefined> {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
}

test('every package and every folder of the harness has a layer, and every layer one of them', () => {
  expect(Object.keys(layers).toSorted()).toEqual([...packages, ...folders, 'harness/'].toSorted());
});

test('packages import only what lies below them', () => {
  expect(sources.length).toBeGreaterThan(packages.length);
  expect(wrongImports(sources)).toEqual([]);
});

test.each(packages)('%s declares only dependencies that it may import', (name) => {
  const { dependencies = {}, peerDependencies = {} } = manifestOf(name);
  const declared = Object.keys({ ...dependencies, ...peerDependencies });
  const may = (layers[name]?.may ?? []).map((layer) => `@holdfast/${layer.split('/')[0]}`);
  const { outside = [], loads = [] } = layers[name] ?? {};
  const allowed = new Set([...may, ...outside, ...loads]);

  expect(declared.filter((dependency) => !allowed.has(dependency))).toEqual([]);
});

test('a test imports another package only by its public entries and its test kit', () => {
  expect(foreignImports(tests)).toEqual([]);
});

test('the simulator knows no fault, and no fault another', () => {
  expect(wrongFaultImports(sources)).toEqual([]);
});

test('only its record and its package spell the name of a lock', () => {
  const spelled = spelledLocks(sources, LOCK_NAMES, Object.keys(SERVER_KINDS));

  expect([...spelled]).toEqual([]);
});

test('what a simulated world is made of dies young', () => {
  const recipes = ['redis-simple', 'redis-getset', 'redlock', 'zk', 'etcd', 'postgres'];
  const simulated = ['harness/sim', 'harness/servers', 'harness/faults'];
  const inWorlds = new Set(['core', 'redis', ...recipes, ...simulated]);
  const made = sources.filter((source) => inWorlds.has(packageOf(source).name));

  expect(oldFunctions(made)).toEqual([]);
});

test('only core/src/runtime.ts, and the driver and the guard of a simulation, touch a clock, a timer, chance or the finaliser', () => {
  expect(ambientUses(sources)).toEqual([]);
});

test('no source file has more than 250 lines', () => {
  const long = sources.filter(({ text }) => text.split('\n').length > LINES_MAX + 1);

  expect(long.map(({ path }) => path)).toEqual([]);
});

test('no file names a path of the machine it was written on', () => {
  expect(machinePaths(filesBelow('.', isText))).toEqual([]);
});

function file(path: string, text: string): SourceFile[] {
  return [{ path: path.startsWith('harness/') ? path : `packages/${path}`, text }];
}

/** The rules, shown to bite: each is fed a source that breaks it, and one that does not. */
describe('the rules', () => {
  test.each([
    ['core imports a package above it', 'core/src/x.ts', "import '@holdfast/redis';"],
    ['core imports the harness', 'core/src/x.ts', "import '@holdfast/harness/simulator';"],
    ['holdfast imports the harness', 'holdfast/src/x.ts', "import '@holdfast/harness';"],
    [
      'a recipe imports a client library',
      'redis-simple/src/x.ts',
      "import { Redis } from 'ioredis';",
    ],
    [
      'a recipe imports even a type of one',
      'redis-simple/src/x.ts',
      "type R = import('redis').Client;",
    ],
    ['sim sees a recipe', 'harness/src/sim/x.ts', "export * from '@holdfast/redis-simple';"],
    [
      'sim imports more of redis than its port',
      'harness/src/sim/x.ts',
      "import '@holdfast/redis';",
    ],
    [
      'sim imports check',
      'harness/src/sim/x.ts',
      "const check = await import('../check/index.ts');",
    ],
    ['sim knows a server', 'harness/src/sim/a/x.ts', "import '../../servers/cluster-of.ts';"],
    [
      'check imports sim',
      'harness/src/check/x.ts',
      "import type { World } from '../sim/world.ts';",
    ],
    ['servers know a fault', 'harness/src/servers/x.ts', "import '../faults/index.ts';"],
    [
      'a simulated server uses Node',
      'harness/src/servers/redis/simulated/x.ts',
      "import 'node:fs';",
    ],
    ['a folder imports one below it', 'harness/src/find/x.ts', "import '../cli/x.ts';"],
    ['a folder reaches a recipe itself', 'harness/src/find/x.ts', "import '@holdfast/redlock';"],
    ['a package imports the one on top', 'redis/src/x.ts', "import { openLocks } from 'holdfast';"],
    ['an import reaches past the exports', 'redis/src/x.ts', "import '@holdfast/core/src/key.ts';"],
    ['an import leaves the package', 'zk/src/x.ts', "import '../../core/src/key.ts';"],
    [
      'an import leaves the harness',
      'harness/src/sim/x.ts',
      "import '../../../packages/core/src/key.ts';",
    ],
    ['an import leaves src', 'harness/src/sim/x.ts', "import '../../test/x.ts';"],
    ['core imports a Node module', 'core/src/x.ts', "import { setTimeout } from 'node:timers';"],
    ['sim imports one without its prefix', 'harness/src/sim/x.ts', "import fs from 'fs';"],
    ['redis uses Node outside its adapters', 'redis/src/x.ts', "import 'node:net';"],
    ['postgres uses Node outside its adapters', 'postgres/src/database/x.ts', "import 'node:net';"],
    ['zk-client uses Node outside its socket', 'zk-client/src/frames.ts', "import 'node:net';"],
    ['a client library comes in outside the adapters', 'redis/src/x.ts', "import 'ioredis';"],
    ['core imports a computed name', 'core/src/x.ts', 'await import(name);'],
    ['a package without a layer turns up', 'service/src/x.ts', ''],
    ['a folder without a layer turns up', 'harness/src/stuff/x.ts', ''],
  ])('complain when %s', (_, path, text) => {
    expect(wrongImports(file(path, text))).toHaveLength(1);
  });

  test.each([
    ['core/src/a/x.ts', "import { key } from '../key.ts';"],
    ['harness/src/sim/x.ts', "import type { RedisNode } from '@holdfast/redis/port';"],
    ['harness/src/cli/x.ts', "import { find } from '../find/find.ts';"],
    ['harness/src/servers/redis/real/x.ts', "import 'node:fs';"],
    ['redis/src/adapters/x.ts', "import { Redis } from 'ioredis'; import 'node:net';"],
    ['holdfast/src/x.ts', "import { sep } from 'node:path'; await import(name);"],
    ['core/src/x.ts', "// import 'ioredis'\nconst text = \"import 'redis'\";"],
  ])('let %s pass', (path, text) => {
    expect(wrongImports(file(path, text))).toEqual([]);
  });

  test.each([
    ['test/stories/x.ts', "import { find } from '../../harness/src/find/find.ts';"],
    ['test/x.test.ts', "import type { Bench } from '../packages/zk/test/support/bench.ts';"],
    ['packages/zk/test/x.test.ts', "export * from '../../core/src/key.ts';"],
    ['packages/zk/test/servers/x.test.ts', "import '../../../../test/broken/mutant.ts';"],
    ['harness/test/x.test.ts', "await import('../../packages/zk/src/keys.ts');"],
  ])('complain when %s reaches into another package', (path, text) => {
    expect(foreignImports([{ path, text }])).toHaveLength(1);
  });

  test.each([
    ['test/stories/x.ts', "import { find } from '../../harness/test/kit/find.ts';"],
    ['test/x.test.ts', "import { Bench } from '../packages/zk/test/kit/bench.ts';"],
    ['packages/zk/test/servers/x.test.ts', "import '../../src/keys.ts'; import '../kit.ts';"],
    [
      'packages/zk/test/servers/x.test.ts',
      "import { run } from '../../../../test/support/run.ts';",
    ],
    ['harness/test/x.test.ts', "import { World } from '../src/sim/world.ts'; import 'holdfast';"],
  ])('let %s pass, which does not', (path, text) => {
    expect(foreignImports([{ path, text }])).toEqual([]);
  });

  test.each([
    ['the simulator', 'sim/x.ts', "import { pause } from '../faults/pause/index.ts';"],
    ['the simulator', 'sim/x.ts', "import { FAULTS } from '../faults/index.ts';"],
    ['the simulator', 'sim/x.ts', "import { late } from '../faults/parts/messages.ts';"],
    ['one fault', 'faults/delay/x.ts', "import { pause } from '../pause/index.ts';"],
  ])('complain when %s, by %s, knows a fault', (_, path, text) => {
    expect(wrongFaultImports(file(`harness/src/${path}`, text))).toHaveLength(1);
  });

  test.each([
    ['faults/index.ts', "import { pause } from './pause/index.ts';"],
    ['faults/delay/x.ts', "import { late } from '../parts/messages.ts';"],
    ['faults/delay/x.ts', "import { late } from './late.ts';"],
    ['simulator/x.ts', "import { FAULTS } from '../faults/index.ts';"],
  ])('let %s know of faults', (path, text) => {
    expect(wrongFaultImports(file(`harness/src/${path}`, text))).toEqual([]);
  });

  test.each([
    'Date.now();',
    'new Date();',
    'performance.now();',
    'Math.random();',
    'setTimeout(run, 1);',
    'const later = setInterval;',
    'globalThis.setImmediate(run);',
    "globalThis['setTimeout'](run);",
    'const { setTimeout } = globalThis;',
    'run({ setTimeout });',
    'crypto.randomUUID();',
    'new FinalizationRegistry(run);',
    'AbortSignal.timeout(5);',
    'process.hrtime.bigint();',
    'const t = `${Date.now()}`;',
  ])('complain about %s', (text) => {
    expect(ambientUses(file('core/src/x.ts', text))).toHaveLength(1);
    expect(ambientUses(file('redis-simple/src/x.ts', text))).toHaveLength(1);
    expect(ambientUses(file('harness/src/sim/x.ts', text))).toHaveLength(1);
    expect(ambientUses(file('harness/src/servers/zookeeper/simulated/x.ts', text))).toHaveLength(1);
    expect(ambientUses(file('harness/src/check/x.ts', text))).toHaveLength(1);
    expect(ambientUses(file('conformance/src/x.ts', text))).toHaveLength(1);
  });

  test.each([
    ['core/src/runtime.ts', 'Date.now();'],
    ['harness/src/servers/zookeeper/real/x.ts', 'Date.now();'],
    ['harness/src/cli/x.ts', 'Date.now();'],
    ['core/src/x.ts', '// Date.now()\nconst text = "Date.now()";'],
    ['core/src/x.ts', 'let t: ReturnType<typeof setTimeout>; let d: Date;'],
    ['core/src/x.ts', 'runtime.performance.x; const o = { crypto: 1 };'],
  ])('let %s pass with %s', (path, text) => {
    expect(ambientUses(file(path, text))).toEqual([]);
  });

  test.each([
    "if (lock === 'zk') open();",
    'const WAITS = { redlock: 5 };',
    "const WAITS = { 'redlock-3': 5 };",
    'const { memory: own } = locks;',
    "type Column = 'no-lock' | 'set-nx-lua';",
    'interface Locks { zk: string }',
    'const lock = `redis-simple`;',
  ])('complain when a lock is named by %s', (text) => {
    for (const path of ['harness/src/check/x.ts', 'holdfast/src/backends/x.ts', 'core/src/x.ts'])
      expect(spelledLocks(file(path, text), LOCK_NAMES).size).toBe(1);
  });

  test.each([
    [
      'harness/src/check/x.ts',
      "import { zk } from './zk.ts'; say('zk is slow', zk, `${zk}`, { zk });",
    ],
    ['harness/src/check/x.ts', "// 'redlock'\nconst redlock = locks.redlock;"],
    ['harness/src/locks/x.ts', "const name = 'zk';"],
    ['holdfast/src/backends/zk.ts', "const name = 'zk';"],
    ['harness/src/sale/steps-x.ts', "const lock = 'zk';"],
    ['zk/src/x.ts', "const name = 'zk';"],
  ])('let %s pass with %s', (path, text) => {
    expect(spelledLocks(file(path, text), LOCK_NAMES).size).toBe(0);
  });

  test.each(['work', 'root', 'home'])('complain about a path below /%s', (folder) => {
    expect(machinePaths(file('x/README.md', `see \`/${folder}/main/README.md\``))).toHaveLength(1);
  });

  test('let addresses and relative paths pass', () => {
    const text = 'https://example.org/home/x ./work/x ../root/y ${base}/home/z';
    expect(machinePaths(file('x/README.md', text))).toEqual([]);
  });
});
