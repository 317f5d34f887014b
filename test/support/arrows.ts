import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source-file.ts';

/** What one package may do; everything that is not listed is out of bounds. */
export interface Layer {
  /** Workspace packages it may import; `redis/port` grants that subpath alone. */
  readonly may: readonly string[];
  /** Packages from outside that it may import. */
  readonly outside?: readonly string[];
  /** May import Node's modules. Without it the package runs in a browser. */
  readonly node?: boolean;
  /** Files that alone may use `outside` and Node's modules; all files when absent. */
  readonly only?: RegExp;
  /** Takes time and chance from the Runtime it is given. */
  readonly timeless?: boolean;
  /** May import what it learns at run time. */
  readonly computed?: boolean;
}

/** The arrows of the design. */
export const layers: Readonly<Record<string, Layer>> = {
  core: { may: [], timeless: true },
  redis: {
    may: ['core'],
    outside: ['ioredis', 'redis'],
    node: true,
    only: /^src\/adapters\//,
    timeless: true,
  },
  'redis-simple': { may: ['core', 'redis', 'redis/port'], timeless: true },
  redlock: { may: ['core', 'redis', 'redis/port'], timeless: true },
  'redis-getset': { may: ['core', 'redis', 'redis/port'], timeless: true },
  exhibits: { may: ['core', 'redis', 'redis/port'], timeless: true },
  'zk-client': { may: [], node: true },
  zk: {
    may: ['core', 'zk-client'],
    outside: ['zookeeper'],
    node: true,
    only: /^src\/adapters\//,
    timeless: true,
  },
  sim: {
    may: ['core', 'redis/port', 'redis/links', 'zk/port'],
    outside: ['fast-check', 'fflate', 'luaparse'],
    timeless: true,
  },
  check: { may: ['core'], timeless: true },
  conformance: { may: ['core'], outside: ['vitest'], timeless: true },
  processes: { may: ['core'], node: true },
  lab: {
    may: ['core', 'processes', 'sim', 'check'],
    outside: ['ioredis', 'linkedom', '@observablehq/plot'],
    node: true,
  },
  holdfast: {
    may: [
      'core',
      'redis',
      'redis/port',
      'redis-simple',
      'redis-getset',
      'redlock',
      'exhibits',
      'processes',
      'zk',
      'sim',
      'check',
      // Loaded where it is installed.
      'lab',
    ],
    outside: ['valibot', 'ioredis', 'redis', 'zookeeper'],
    node: true,
    computed: true,
  },
};

/** The package that a file under `packages/` belongs to, and its path in there. */
export function packageOf(file: SourceFile): { name: string; inside: string } {
  const [, name = '', ...rest] = file.path.split('/');
  return { name, inside: rest.join('/') };
}

function workspaceImport(specifier: string): string | undefined {
  if (specifier === 'holdfast' || specifier.startsWith('holdfast/')) return specifier;
  return specifier.startsWith('@holdfast/') ? specifier.slice('@holdfast/'.length) : undefined;
}

/** What is wrong with one import, or undefined. */
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
    return target.startsWith(`packages/${name}/src/`)
      ? undefined
      : `leaves its package by ${specifier}`;
  }
  const workspace = workspaceImport(specifier);
  if (workspace !== undefined) {
    return layer.may.includes(workspace) ? undefined : `must not import ${specifier}`;
  }
  if (isBuiltin(specifier)) {
    return layer.node === true && privileged
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
