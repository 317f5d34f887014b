import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { describe, expect, inject, test } from 'vitest';
import { runChecked } from '../support/run.ts';
import { root } from '../support/source-file.ts';
import { PUBLISHED } from './packed.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly engines: object;
  readonly repository: object;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const workspace: Pick<Manifest, 'engines' | 'repository'> = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const { packed } = inject('packing');

function tarballOf(folder: string): string {
  const found = packed.find((candidate) => candidate.folder === join(root, folder));
  if (found === undefined) throw new Error(`${folder} was not packed`);
  return found.tarball;
}

async function fileOf(folder: string, path: string): Promise<string> {
  return (await runChecked('tar', ['-xzOf', tarballOf(folder), `package/${path}`])).stdout;
}

/** Ways of resolving that are not for ES modules. */
const COMMON_JS: ReadonlySet<string> = new Set(['node10', 'node16-cjs']);
/** What people import from CommonJS, too. All else is for authors of backends, in ES modules. */
const FOR_COMMON_JS = 'packages/holdfast';

/** True for a problem that nobody has: of CommonJS with an entry that is not for it. */
function isExcused(folder: string, problem: Problem): boolean {
  if (!('resolutionKind' in problem) || !COMMON_JS.has(problem.resolutionKind)) return false;
  return folder !== FOR_COMMON_JS || problem.entrypoint !== '.';
}

describe.each(PUBLISHED)('%s', (folder) => {
  test('packs only what it ships', async () => {
    const { stdout } = await runChecked('tar', ['-tzf', tarballOf(folder)]);
    const strangers = stdout
      .trim()
      .split('\n')
      .filter(
        (file) => !/^package\/(?:dist\/(?!.*\.map$)|bin\/|stories\/[^/]+\.json$|[^/]+$)/.test(file),
      );

    expect(strangers).toEqual([]);
    expect(stdout).not.toMatch(/tsbuildinfo|\.test\./);
  });

  test('packs each declaration that another one refers to', async () => {
    const { stdout } = await runChecked('tar', ['-tzf', tarballOf(folder)]);
    const files = stdout.trim().split('\n');
    const declarations = files.filter((file) => file.endsWith('.d.ts'));
    const texts = await Promise.all(
      declarations.map((file) => fileOf(folder, file.replace('package/', ''))),
    );
    const named = texts.flatMap((text, at) =>
      Array.from(text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g), ([, path = '']) =>
        join(dirname(declarations[at] ?? ''), path.replace(/\.[jt]s$/, '.d.ts')),
      ),
    );

    expect(declarations).not.toEqual([]);
    expect(named.filter((file) => !files.includes(file))).toEqual([]);
  });

  test('says what it is: README with an example and links, LICENSE', async () => {
    const readme = await fileOf(folder, 'README.md');
    const { name }: Manifest = JSON.parse(await fileOf(folder, 'package.json'));

    expect(readme.split('\n')[0]).toBe(`# ${name}`);
    expect(readme.match(/^```ts\n/gm)).toHaveLength(1);
    expect(readme).toMatch(/^Documentation: \[.+\]\(\.\.\/.*docs\//m);
    expect(await fileOf(folder, 'LICENSE')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
  });

  test('has a manifest that says where it comes from, and what it needs', async () => {
    const manifest: Manifest = JSON.parse(await fileOf(folder, 'package.json'));
    const ranges = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
    const ours = ranges.filter(([name]) => packed.some((each) => each.name === name));

    expect(manifest.license).toBe('MIT');
    expect(manifest.engines).toEqual(workspace.engines);
    expect(manifest.repository).toEqual({ ...workspace.repository, directory: folder });
    expect(ranges.filter(([, range]) => /:/.test(range))).toEqual([]);
    expect(ours.filter(([, range]) => range !== `^${manifest.version}`)).toEqual([]);
  });

  test('has a manifest that publint finds nothing wrong with', async () => {
    const file = readFileSync(tarballOf(folder));
    const tarball = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    const { messages } = await publint({ strict: true, pack: { tarball } });

    expect(messages).toEqual([]);
  });

  test('has types that every way of resolving finds', async () => {
    const types = await checkPackage(createPackageFromTarballData(readFileSync(tarballOf(folder))));

    expect(types.types && types.problems.filter((problem) => !isExcused(folder, problem))).toEqual(
      [],
    );
  });
});

test('the indentation of code is packed as tabs, and a text of several lines as it was written', async () => {
  const code = await fileOf('packages/postgres', 'dist/modes/line.js');

  expect(code).toMatch(/^\treturn \{$/m);
  // Within a statement of SQL.
  expect(code).toMatch(/^ {4}LIMIT /m);
});

test('engines and repository are those that people were promised', () => {
  expect(workspace.engines).toEqual({ node: '>=20.19' });
  expect(workspace.repository).toMatchObject({ type: 'git', url: expect.stringMatching(/^git\+/) });
});
