import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source-file.ts';

/** The imports that one package may have; all others are errors. */
export interface Layer {
  /** Workspace packages it may import; `redis/port` grants that subpath alone. */
  readonly may: readonly string[];
  /** Packages from outside that it may import. */
  readonly outside?: readonly string[];
  /** May import Node's modules. Without it the package runs in a browser. */
  readonly node?: boolean;
  /** Files that alone may use `outside` and Node's modules; all files when absent. */
  readonly only?: RegExp;
  /** Files, real servers among simulated ones, that alone may use Node's modules, and live in real time. */
  readonly real?: RegExp;
  /** Takes time and chance from the Runtime it is given. */
  readonly timeless?: boolean;
  /** May import computed names. */
  readonly computed?: boolean;
  /** Optional packages that it loads by a computed name. */
  readonly loads?: readonly string[];
  /** In the harness: the folders beside it that it may import; all above it when absent. */
  readonly folders?: readonly string[];
}

/** The arrows of the design. */
export const layers: Readonly<Record<string, Layer>> = {
  core: { may: [], timeless: true },
  redis: {
    may: ['core', 'core/backend'],
    outside: ['ioredis', 'iovalkey', 'redis'],
    node: true,
    only: /^src\/adapters\//,
    timeless: true,
  },
  'redis-simple': { may: ['core', 'core/backend', 'redis', 'redis/port'], timeless: true },
  redlock: { may: ['core', 'core/backend', 'redis', 'redis/port'], timeless: true },
  moving: { may: ['core', 'core/backend'], timeless: true },
  'redis-getset': { may: ['core', 'core/backend', 'redis', 'redis/port'], timeless: true },
  'zk-client': { may: [], node: true, only: /^src\/socket\.ts$/ },
  zk: {
    may: ['core', 'core/backend', 'core/queue', 'zk-client', 'zk-client/network'],
    outside: ['zookeeper'],
    node: true,
    only: /^src\/adapters\//,
    timeless: true,
  },
  etcd: {
    may: ['core', 'core/backend', 'core/queue'],
    outside: ['@grpc/grpc-js'],
    node: true,
    only: /^src\/adapters\//,
    timeless: true,
  },
  postgres: {
    may: ['core', 'core/backend'],
    outside: ['pg', 'postgres'],
    node: true,
    only: /^src\/adapters\//,
    timeless: true,
  },
  guard: { may: ['core', 'core/backend'], timeless: true },
  nestjs: {
    may: ['holdfast'],
    outside: ['holdfast', '@nestjs/common'],
    node: true,
  },
  otel: { may: ['core', 'core/backend'], outside: ['@opentelemetry/api'], node: true },
  conformance: { may: ['core', 'core/backend'], outside: ['vitest'], timeless: true },
  holdfast: {
    may: [
      'core',
      'core/backend',
      'core/reentry',
      'redis',
      'redis-simple',
      'redis-getset',
      'redlock',
      'zk',
      'etcd',
      'postgres',
      'moving',
    ],
    outside: [
      'valibot',
      '@grpc/grpc-js',
      'ioredis',
      'iovalkey',
      'redis',
      'zookeeper',
      'pg',
      'postgres',
    ],
    loads: ['@holdfast/harness'],
    node: true,
    computed: true,
  },
  ...Object.fromEntries(
    Object.entries(harness()).map(([name, layer]) => [`harness/${name}`, layer]),
  ),
};

/** The folders of the harness: each may import those above it in this list, or those of `folders`. */
function harness(): Readonly<Record<string, Layer>> {
  return {
    sim: {
      may: [
        'core',
        'core/backend',
        'postgres/port',
        'etcd/port',
        'postgres/sessions',
        'redis/links',
        'redis/port',
        'zk/network',
        'zk/port',
      ],
      outside: ['fast-check', 'fflate'],
      folders: [],
      timeless: true,
    },
    check: { may: ['core', 'core/backend'], folders: [], timeless: true },
    draw: { may: ['core', 'core/backend'], folders: ['check'], timeless: true },
    guards: { may: ['core', 'core/backend', 'guard'], folders: ['check'], timeless: true },
    processes: { may: ['core', 'core/backend'], folders: [], node: true },
    servers: {
      may: [
        'core',
        'core/backend',
        'postgres/port',
        'etcd/port',
        'postgres/sessions',
        'redis/port',
        'redis/links',
        'zk/network',
        'zk/port',
        'zk-client/jute',
        'zk-client/network',
      ],
      outside: ['luaparse', 'pgsql-ast-parser'],
      folders: ['sim', 'processes'],
      node: true,
      real: /^\w+\/real\//,
      timeless: true,
    },
    real: { may: ['core', 'core/backend'], folders: ['processes', 'servers'], node: true },
    faults: {
      may: ['core', 'core/backend'],
      outside: ['fast-check'],
      folders: ['sim'],
      timeless: true,
    },
    simulator: {
      may: ['core', 'core/backend'],
      outside: ['fast-check'],
      folders: ['sim', 'servers', 'faults'],
      timeless: true,
    },
    exhibits: {
      may: ['core', 'core/backend', 'core/reentry', 'etcd', 'postgres/port', 'redis', 'redis/port'],
      folders: [],
      timeless: true,
    },
    locks: {
      may: [
        'core',
        'core/backend',
        'etcd',
        'etcd/port',
        'postgres',
        'postgres/port',
        'redis/port',
        'redis-simple',
        'redis-getset',
        'redlock',
        'zk',
        'zk/port',
      ],
    },
    search: { may: ['core', 'core/backend', 'holdfast/internal'], node: true },
    edited: {
      may: ['core', 'core/backend', 'core/queue', 'core/reentry', 'redis', 'redis/port'],
      outside: ['sucrase'],
    },
    foreign: { may: ['core', 'core/backend', 'holdfast/internal'], node: true },
    matrix: { may: ['core', 'core/backend'], outside: ['valibot'], node: true },
    compare: { may: ['core', 'core/backend', 'holdfast/internal'], node: true },
    margin: { may: ['core', 'core/backend'] },
    find: { may: ['core', 'core/backend', 'holdfast/internal'], node: true },
    playground: { may: ['core', 'core/backend'] },
    exhaustive: { may: ['core', 'core/backend'] },
    lab: {
      may: [
        'core',
        'core/backend',
        'holdfast/internal',
        'redis',
        'redis/port',
        'redis-simple',
        'zk',
      ],
      outside: ['ioredis', 'linkedom', '@observablehq/plot', 'redis'],
      node: true,
    },
    both: { may: ['core', 'core/backend'] },
    sale: {
      may: ['core', 'core/backend', 'holdfast/internal', 'redis', 'redis/port', 'zk'],
      node: true,
    },
    shards: {
      may: ['core', 'core/backend', 'holdfast/internal'],
      outside: ['valibot'],
      node: true,
    },
    cli: { may: ['core', 'core/backend', 'holdfast/internal'], node: true },
    '': { may: [] },
  };
}

/** The package, or the folder of the harness, that a file belongs to, and its path in there. */
export function packageOf(file: SourceFile): { name: string; inside: string } {
  const [floor, name = '', ...rest] = file.path.split('/');
  if (floor !== 'harness') return { name, inside: rest.join('/') };
  const [folder = '', ...deeper] = rest;
  return deeper.length === 0
    ? { name: 'harness/', inside: folder }
    : { name: `harness/${folder}`, inside: deeper.join('/') };
}

/** Returns the source folder of the package that contains a path. */
function homeOf(path: string): string {
  const [floor = '', name = ''] = path.split('/');
  return floor === 'harness' ? 'harness/src/' : `${floor}/${name}/src/`;
}

/** True if one folder of the harness may import another: those above it, unless its layer lists them. */
function mayReach(from: string, to: string): boolean {
  if (from === to) return true;
  const names = Object.keys(layers);
  const { folders } = layers[from] ?? {};
  return folders === undefined
    ? names.indexOf(to) < names.indexOf(from) && to !== 'harness/'
    : folders.includes(to.slice('harness/'.length));
}

function workspaceImport(specifier: string): string | undefined {
  if (specifier === 'holdfast' || specifier.startsWith('holdfast/')) return specifier;
  return specifier.startsWith('@holdfast/') ? specifier.slice('@holdfast/'.length) : undefined;
}

/** Returns what is wrong with one import, or undefined. */
function complaint(
  file: SourceFile,
  layer: Layer,
  specifier: string | undefined,
): string | undefined {
  const { name, inside } = packageOf(file);
  const privileged = layer.only === undefined || layer.only.test(inside);
  if (specifier === undefined) {
    return layer.computed === true ? undefined : 'imports what only running it can tell';
  }
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file.path), specifier);
    if (!target.startsWith(homeOf(file.path))) return `leaves its package by ${specifier}`;
    const beside = packageOf({ path: target, text: '' }).name;
    return mayReach(name, beside) ? undefined : `must not import ${specifier}`;
  }
  const workspace = workspaceImport(specifier);
  if (workspace !== undefined) {
    return layer.may.includes(workspace) ? undefined : `must not import ${specifier}`;
  }
  if (isBuiltin(specifier)) {
    return layer.node === true && privileged && layer.real?.test(inside) !== false
      ? undefined
      : `must run in a browser, but imports ${specifier}`;
  }
  return layer.outside?.includes(specifier) === true && privileged
    ? undefined
    : `must not import ${specifier}`;
}

/** Imports of files under `packages/‹name›/src` that go against the arrows. */
export function wrongImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const layer = layers[packageOf(file).name];
    if (layer === undefined) return [`${file.path}: its package has no layer`];
    const complaints = importsOf(file).map((specifier) => complaint(file, layer, specifier));
    return complaints.flatMap((text) => (text === undefined ? [] : [`${file.path} ${text}`]));
  });
}
