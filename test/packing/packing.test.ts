import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runChecked } from '../support/run.ts';
import { root } from '../support/source-file.ts';
import { type Installed, installed, modulesOf } from './measured.ts';
import { bundler, clients, installInto, type Packed, PUBLISHED, packAll } from './packed.ts';

const home = mkdtempSync(join(tmpdir(), 'holdfast-packing-'));
const project = join(home, 'consumer');
/** As the command runs it, on a Redis that is not there: all is loaded by the time that this is noticed. */
const HOLDFAST_INSPECT = `process.argv = ['node', 'holdfast', 'inspect', 'k', '--on', 'redis://127.0.0.1:1'];
  await import('./node_modules/holdfast/bin/holdfast.js')`;
let packed: Packed[] = [];

beforeAll(async () => {
  for (const path of PUBLISHED) {
    if (existsSync(join(root, path, 'dist', 'index.js'))) continue;
    throw new Error(`${path} is not built; run: npx tsc -b`);
  }
  packed = await packAll(home);
  await installInto(project, packed, clients());
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

function tarballOf(folder: string): string {
  const found = packed.find((candidate) => candidate.folder === join(root, folder));
  if (found === undefined) throw new Error(`${folder} was not packed`);
  return found.tarball;
}

/** Ways of resolving that are not for ES modules. */
const COMMON_JS: ReadonlySet<string> = new Set(['node10', 'node16-cjs']);

function isOfCommonJs(problem: Problem): boolean {
  return 'resolutionKind' in problem && COMMON_JS.has(problem.resolutionKind);
}

describe.each(PUBLISHED)('%s', (name) => {
  test('packs only what it ships', async () => {
    const { stdout } = await runChecked('tar', ['-tzf', tarballOf(name)]);
    const strangers = stdout
      .trim()
      .split('\n')
      .filter(
        (file) => !/^package\/(?:dist\/(?!.*\.map$)|bin\/|stories\/[^/]+\.json$|[^/]+$)/.test(file),
      );

    expect(strangers).toEqual([]);
    expect(stdout).toContain('package/LICENSE');
    expect(stdout).not.toMatch(/tsbuildinfo|\.test\./);
  });

  test('has a manifest that publint finds nothing wrong with', async () => {
    const file = readFileSync(tarballOf(name));
    const tarball = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    const { messages } = await publint({ strict: true, pack: { tarball } });

    expect(messages).toEqual([]);
  });

  test('has types that every way of resolving ES modules finds', async () => {
    const types = await checkPackage(createPackageFromTarballData(readFileSync(tarballOf(name))));

    expect(types.types && types.problems.filter((problem) => !isOfCommonJs(problem))).toEqual([]);
  });
});

describe('a project that installed the tarballs', () => {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const strict = ['--target', 'es2022', '--strict', '--skipLibCheck', 'false', '--types', 'node'];

  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('compiles and runs with module %s, resolution %s', async (module, resolution) => {
    const how = ['--module', module, '--moduleResolution', resolution, '--outDir', resolution];
    const compiled = await run(tsc, ['use.ts', ...strict, ...how], { cwd: project });
    expect(compiled.output).toBe('');

    const { output } = await run('node', [join(resolution, 'use.js')], { cwd: project });
    expect(output).toBe('types and locks work\n');
  });

  test('works from JavaScript', async () => {
    const { output } = await run('node', ['use.js'], { cwd: project });

    expect(output).toBe('held orders/42\n');
  });

  test('runs the comparison', async () => {
    const cells = ['--faults', 'pause,failover', '--backends', 'redis-simple'];
    const command = ['--no', 'holdfast', 'compare', ...cells];
    const { code, output } = await run('npx', command, { cwd: project });

    expect(code, output).toBe(0);
    expect(output).toContain('no-lock');
    expect(existsSync(join(project, 'out', 'compare', 'report.json'))).toBe(true);
  });
});

describe('a project without any client library', () => {
  const bare = join(home, 'bare');
  /** Those that bring a client of their own, or Vitest, are for other uses than locking. */
  const others = new Set(['@holdfast/harness', '@holdfast/conformance']);

  beforeAll(async () => {
    const needed = packed.filter(({ name }) => !others.has(name));
    await installInto(bare, needed, bundler);
  });

  test('has none, neither of its own nor through a dependency', () => {
    const there = readdirSync(join(bare, 'node_modules'));

    expect(there).toContain('holdfast');
    for (const client of ['ioredis', 'redis', 'zookeeper']) expect(there).not.toContain(client);
  });

  test('learns where the missing commands are, and has those of an operator', async () => {
    const holdfast = join(bare, 'node_modules/holdfast/bin/holdfast.js');
    const compare = await run('node', [holdfast, 'compare'], { cwd: bare });
    expect(compare.code).toBe(2);
    expect(compare.output).toContain('npm i -D @holdfast/harness');

    const help = await run('node', [holdfast, '--help'], { cwd: bare });
    expect(help.code).toBe(0);
    expect(help.output).toContain('holdfast inspect KEY');
    expect(help.output).toContain('npm i -D @holdfast/harness');

    const operator = [holdfast, 'inspect', 'orders/42', '--on', 'memory:'];
    const inspect = await run('node', operator, { cwd: bare });
    expect(inspect.code, inspect.output).toBe(0);
    expect(inspect.output).toContain('"held": false');
  });

  test.each([
    ['esm', 'bundle.mjs'],
    ['cjs', 'bundle.cjs'],
  ])(
    'is bundled by esbuild as %s; the bundle locks, and says what to install',
    async (format, out) => {
      // Beside no node_modules: the bundle has to bring everything.
      const file = join(home, out);
      const how = ['--bundle', '--platform=node', `--format=${format}`, `--outfile=${file}`];
      const esbuild = join(bare, 'node_modules', '.bin', 'esbuild');
      // esbuild would look there, too, and find the clients of the workspace.
      const env = { NODE_PATH: '' };
      const bundled = await run(esbuild, ['bundle.js', ...how], { cwd: bare, env });
      expect(bundled.code, bundled.output).toBe(0);

      const { output } = await run('node', [file], { cwd: home });

      expect(output.split('\n')).toEqual([
        'held orders/42',
        'ConfigError: Redis needs a client library, and none is installed: npm i ioredis',
        'ConfigError: the client library redis is not installed: npm i redis',
        expect.stringMatching(/^ConfigError: the client library zookeeper is not installed: npm i/),
        '',
      ]);
    },
  );
});

describe('a project that locks on Redis', () => {
  const lean = join(home, 'lean');
  let ours: Installed;

  beforeAll(async () => {
    const others = new Set(['@holdfast/harness', '@holdfast/conformance']);
    const needed = packed.filter(({ name }) => !others.has(name));
    const { ioredis = '' } = clients();
    await installInto(lean, needed, { ioredis });
    ours = installed(lean);
  });

  test('has at most 1.5 MB of ours on its disk, and nothing that only judges locks', () => {
    console.log(`npm i holdfast ioredis: ${ours.files} files of ours, ${ours.bytes} bytes`);
    const strangers = readdirSync(join(lean, 'node_modules'), { recursive: true })
      .map(String)
      .filter((path) => /(?:^|\/)(?:fast-check|luaparse|harness)$|holdfast\/.*\.map$/.test(path));

    expect(strangers).toEqual([]);
    expect(ours.bytes).toBeLessThanOrEqual(1_500_000);
  });

  test('loads no more modules than it needs', async () => {
    const library = await modulesOf(lean, "import 'holdfast'");
    const inspect = await modulesOf(lean, HOLDFAST_INSPECT);
    console.log(`import 'holdfast': ${library} modules; holdfast inspect: ${inspect}`);

    // One of them is the record of each backend.
    expect(library).toBeLessThanOrEqual(52);
    expect(inspect).toBeLessThanOrEqual(120);
  });
});
