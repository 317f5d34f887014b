import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { run } from '../support/run.ts';
import { root } from '../support/source-file.ts';
import { installed, loadedBy } from './measured.ts';
import { bundler, installInto } from './packed.ts';

const { home, packed, project } = inject('packing');
/** As the command runs it, on a Redis that is not there: all is loaded by the time that this is noticed. */
const HOLDFAST_INSPECT = `process.argv = ['node', 'holdfast', 'inspect', 'k', '--on', 'redis://127.0.0.1:1'];
  await import('./node_modules/holdfast/bin/holdfast.js')`;

const HIDDEN = `import('${pathToFileURL(join(root, 'scripts/hidden-declarations.mjs')).href}')
  .then(({ hiddenDeclarations }) => console.log(JSON.stringify(process.argv.slice(1).map((folder) => hiddenDeclarations(folder)))))`;

describe('a project that installed the tarballs', () => {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const strict = '--target es2022 --strict --skipLibCheck false --types node --checkers 1'.split(
    ' ',
  );

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

  test('keeps the contract of the backend in memory, by the suite that it installed', async () => {
    const { output } = await run('node', ['contract.js', 'memory'], { cwd: project });

    expect(output).toMatch(/^memory: [3-9]\d kept, \d+ skipped\n$/);
  });

  test('inspects a lock on Redis with no more code than that needs', async () => {
    const { modules, bytes } = await loadedBy(project, HOLDFAST_INSPECT);
    console.log(`holdfast inspect: ${modules} modules, ${bytes} bytes`);

    // Sentinel and Cluster are loaded by those who have them; the checks at opening are not.
    expect(bytes).toBeLessThanOrEqual(655_000);
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
  /** Those that bring a client of their own, or Vitest, or guard a resource or measure, are for other uses than locking. */
  const others = new Set([
    '@holdfast/harness',
    '@holdfast/conformance',
    '@holdfast/guard',
    '@holdfast/nestjs',
    '@holdfast/otel',
  ]);

  beforeAll(async () => {
    const needed = packed.filter(({ name }) => !others.has(name));
    await installInto(bare, needed, bundler);
  });

  test('has none, neither of its own nor through a dependency', () => {
    const there = readdirSync(join(bare, 'node_modules'));

    expect(there).toContain('holdfast');
    for (const client of ['ioredis', 'iovalkey', 'redis', 'zookeeper'])
      expect(there).not.toContain(client);
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
    ['bundle.js', 'esm', 'bundle.mjs'],
    ['bundle.js', 'cjs', 'bundle.cjs'],
    ['commonjs/bundle.cjs', 'cjs', 'required.cjs'],
  ])(
    'is bundled by esbuild from %s as %s; the bundle locks, and says what to install',
    async (source, format, out) => {
      // Beside no node_modules: the bundle has to bring everything.
      const file = join(home, out);
      const how = ['--bundle', '--platform=node', `--format=${format}`, `--outfile=${file}`];
      const esbuild = join(bare, 'node_modules', '.bin', 'esbuild');
      // esbuild would look there, too, and find the clients of the workspace.
      const env = { NODE_PATH: '' };
      const bundled = await run(esbuild, [source, ...how], { cwd: bare, env });
      expect(bundled.code, bundled.output).toBe(0);

      const { output } = await run('node', [file], { cwd: home });

      expect(output.split('\n')).toEqual([
        'held orders/42',
        'ConfigError: the client library ioredis is not installed: npm i ioredis',
        'ConfigError: the client library redis is not installed: npm i redis',
        expect.stringMatching(/^ConfigError: the client library zookeeper is not installed: npm i/),
        '',
      ]);
    },
  );

  test('has no examples and no needless spaces in the declarations for CommonJS, whatever was packed before', () => {
    const types = join(bare, 'node_modules', 'holdfast', 'dist', 'commonjs', 'types');
    const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.d.ts'),
    );
    const wrong = files.filter((path) =>
      /@example|^ {4}/m.test(readFileSync(join(types, path), 'utf8')),
    );

    expect(files.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });

  test('has at most 2.2 MB of ours on its disk, and nothing that only judges locks', () => {
    const ours = installed(bare);
    console.log(`npm i holdfast: ${ours.files} files of ours, ${ours.bytes} bytes`);
    const strangers = readdirSync(join(bare, 'node_modules'), { recursive: true })
      .map(String)
      .filter((path) => /(?:^|\/)(?:fast-check|luaparse|harness)$|holdfast\/.*\.map$/.test(path));

    expect(strangers).toEqual([]);
    expect(ours.bytes).toBeLessThanOrEqual(2_200_000);
  });

  test('has the declarations that the entries of its packages lead to, and no other', async () => {
    const installedHere = packed.filter(({ name }) => !others.has(name));
    const folders = installedHere.map(({ name }) => join(bare, 'node_modules', name));
    const { code, output } = await run(process.execPath, ['--eval', HIDDEN, ...folders]);

    // It fails where one that they lead to is missing.
    expect(code, output).toBe(0);
    expect(JSON.parse(output)).toEqual(folders.map(() => []));
  });

  test('loads no more code than it needs', async () => {
    const { modules, bytes } = await loadedBy(bare, "import 'holdfast'");
    console.log(`import 'holdfast': ${modules} modules, ${bytes} bytes`);

    // The core and the records of the backends; no backend.
    expect(bytes).toBeLessThanOrEqual(424_000);
  });
});
