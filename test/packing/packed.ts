import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, runChecked } from '../support/run.ts';
import { root } from '../support/source-file.ts';

/** One published package, as its tarball. */
export interface Packed {
  readonly name: string;
  readonly folder: string;
  readonly tarball: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly packageManager?: string;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The folders of all that is published; `scripts/release.mjs` packs them, too. */
export const PUBLISHED: readonly string[] = [
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
  'harness',
];

/** Packs all that is published into `folder`, as publishing would. */
export async function packAll(folder: string): Promise<Packed[]> {
  const pin = manifestIn(root).packageManager ?? 'pnpm';
  const filters = PUBLISHED.map((path) => `--filter=./${path}`);
  const pack = ['--recursive', ...filters, 'pack', `--pack-destination=${folder}`];
  // Under `npm test` pnpm is on PATH; for a test run by hand npx brings the very same.
  const has = await run('pnpm', ['--version'], { cwd: root }).catch(() => undefined);
  await (has?.code === 0
    ? runChecked('pnpm', pack, { cwd: root })
    : runChecked('npx', ['--yes', pin, ...pack], { cwd: root }));
  return PUBLISHED.map((path) => {
    const own = join(root, path);
    const manifest = manifestIn(own);
    const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
    return { name: manifest.name, folder: own, tarball: join(folder, file) };
  });
}

/** The versions that the repository itself uses, so that installing finds them in the cache. */
function catalogVersion(name: string): string {
  const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const version = new RegExp(`^  "?${name}"?: (\\S+)$`, 'm').exec(workspace)?.[1];
  if (version === undefined) throw new Error(`${name} is not in the catalog`);
  return version;
}

/** Not of the workspace: vite would take it for its own, and there would be two of vitest. */
const ESBUILD = '0.28.2';

/** Packages from outside, in the versions of the catalog. */
export function fromCatalog(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, catalogVersion(name)] as const));
}

export const bundler: Readonly<Record<string, string>> = { esbuild: ESBUILD };

/** Installs the tarballs and what is `outside` into an empty project with the files of `consumer/`. */
export async function installInto(
  folder: string,
  packed: readonly Packed[],
  outside: Readonly<Record<string, string>>,
): Promise<void> {
  const tarballs = packed.map(({ name, tarball }) => [name, `file:${tarball}`]);
  // As `npm i *.tgz` writes it, which the README names: the packages satisfy each other's ranges.
  const dependencies = { ...Object.fromEntries(tarballs), ...outside };
  const manifest = { name: 'consumer', type: 'module', private: true, dependencies };
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
  cpSync(join(root, 'test', 'packing', 'consumer'), folder, { recursive: true });
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await runChecked('npm', ['install', ...quiet], { cwd: folder });
}
