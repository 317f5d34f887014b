import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from './support/run.ts';
import { root } from './support/source-file.ts';

const CHANGELOG =
  '# Changelog\n\n## [1.2.0] - 2026-11-25\n\n- New.\n\n## [1.1.0] - 2026-11-01\n\n- Old.\n';

let folder: string;

/** A repository of two packages and the harness, all of version 1.2.0. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'));
  writeFile('CHANGELOG.md', CHANGELOG);
  manifest('harness', { name: 'harness', dependencies: { top: 'workspace:^' } });
  manifest('packages/above', {
    name: 'top',
    dependencies: { base: 'workspace:^', other: '^3.0.0' },
  });
  manifest('packages/below', { name: 'base' });
});

afterEach(() => rmSync(folder, { recursive: true }));

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function manifest(path: string, fields: object): void {
  writeFile(`${path}/package.json`, JSON.stringify({ version: '1.2.0', ...fields }));
}

/** What `npm run release:dry -- --check` says about the repository in a folder. */
async function check(cwd: string): Promise<{ code: number | null; output: string }> {
  return await run(process.execPath, [join(root, 'scripts/release-dry.mjs'), '--check'], { cwd });
}

describe('a dry release', () => {
  test('names the version, the packages behind those that they need, and the notes', async () => {
    const { code, output } = await check(folder);

    expect(output).toBe(
      '1.2.0, to be published in this order:\n  base\n  top\n  harness\n\n- New.\n',
    );
    expect(code).toBe(0);
  });

  test.each([
    [
      'a package of another version',
      () => manifest('packages/below', { name: 'base', version: '1.1.0' }),
      'packages/below has version 1.1.0, the newest section of CHANGELOG.md 1.2.0',
    ],
    [
      'a changelog that has no section for the version',
      () => writeFile('CHANGELOG.md', CHANGELOG.replaceAll('1.2.0', '1.3.0')),
      'packages/above has version 1.2.0, the newest section of CHANGELOG.md 1.3.0',
    ],
    [
      'a newest section without a version',
      () => writeFile('CHANGELOG.md', CHANGELOG.replace('[1.2.0]', '[Unreleased]')),
      'the newest section of CHANGELOG.md is "[Unreleased] - 2026-11-25"',
    ],
    [
      'an empty section',
      () => writeFile('CHANGELOG.md', CHANGELOG.replace('- New.', '')),
      'section 1.2.0 of CHANGELOG.md is empty',
    ],
    [
      'a range that packs to one exact version',
      () => manifest('harness', { name: 'harness', peerDependencies: { base: 'workspace:*' } }),
      'harness needs base as "workspace:*"; use "workspace:^"',
    ],
    [
      'a private package',
      () => manifest('packages/below', { name: 'base', private: true }),
      'packages/below is private',
    ],
  ])('is refused for %s', async (_, breakIt, message) => {
    breakIt();
    const { code, output } = await check(folder);

    expect(output).toContain(message);
    expect(code).toBe(1);
  });

  test('is possible for this repository as it is', async () => {
    const { code, output } = await check(root);

    expect(output).toContain('holdfast');
    expect(code, output).toBe(0);
  });
});
