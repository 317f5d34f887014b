import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { run } from '../support/run.ts';
import { root } from '../support/source-file.ts';

const { project } = inject('packing');
const cwd = join(project, 'commonjs');

/** TypeScript 6 is what most projects in CommonJS have; it still resolves as Node 10 did. */
const OLD_TSC = join(root, 'docs/node_modules/.bin/tsc');
const TSC = join(root, 'node_modules/.bin/tsc');
/** Checking all types of Node, too, would take it twice as long; version 7 does. */
const OLD = '--skipLibCheck --moduleResolution node10 --ignoreDeprecations 6.0'.split(' ');
const NEW = ['--skipLibCheck', 'false', '--checkers', '1'];
/** Without the types of browsers. */
const OPTIONS =
  '--ignoreConfig --strict --target es2022 --lib es2023,esnext.disposable --types node';

beforeAll(() => writeFileSync(join(cwd, 'package.json'), '{ "type": "commonjs" }'));

describe('a project in CommonJS', () => {
  test('requires it, and gets the same copy as by import', async () => {
    const { output } = await run('node', ['use.cjs'], { cwd });

    expect(output).toBe('held orders/42, one copy\n');
  });

  test.each([
    ['TypeScript 6', 'commonjs', OLD_TSC, OLD],
    ['TypeScript 7', 'commonjs', TSC, NEW],
    ['TypeScript 7', 'node16', TSC, NEW],
  ])('compiles with %s and module %s, and runs', async (version, module, tsc, how) => {
    const out = `${version.at(-1)}-${module}`;
    const options = [...OPTIONS.split(' '), '--module', module, ...how, '--outDir', out];
    const compiled = await run(tsc, ['use.ts', ...options], { cwd });
    expect(compiled.output).toBe('');

    const { output } = await run('node', [join(out, 'use.js')], { cwd });
    expect(output).toBe('types and locks work\n');
  });

  test('is tested by Jest, which has no ES modules without a flag', async () => {
    const config = { rootDir: cwd, testMatch: ['**/in-jest.cjs'], transform: {} };
    const options = ['--runInBand', '--watchman=false', `--cacheDirectory=${cwd}/cache`];
    const jest = join(root, 'test/node_modules/.bin/jest');
    const command = ['--config', JSON.stringify(config), ...options];
    const { code, output } = await run(jest, command, { cwd });

    expect(output).toContain('Tests:       2 passed, 2 total');
    expect(code).toBe(0);
  });
});

test('a project of ES modules is tested by Vitest', async () => {
  const config = { test: { include: ['in-vitest.js'], globals: true, maxWorkers: 1 } };
  writeFileSync(join(project, 'vitest.config.js'), `export default ${JSON.stringify(config)};`);
  const vitest = join(root, 'node_modules/.bin/vitest');
  const env = { HOLDFAST_COUNTS: '', VITEST: '' };
  const { code, output } = await run(vitest, ['run', '--root', project], { cwd: project, env });

  expect(output).toMatch(/Tests\s+1 passed/);
  expect(code).toBe(0);
});
