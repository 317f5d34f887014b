import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../support/run.ts';
import { edited, type Mutable, type Mutant } from './mutant.ts';
import { ROOT, sourceOf } from './targets.ts';

const TSCONFIG = {
  extends: '../../../tsconfig.base.json',
  compilerOptions: {
    noEmit: true,
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    isolatedDeclarations: false,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    // Code that a mutation leaves unused does not keep the mutant from running.
    noUnusedLocals: false,
    noUnusedParameters: false,
  },
  include: ['src'],
};
const RIGHT = 'right';
const ERROR = /^(?<path>\S+?)\.as-(?<digest>\w+)\.ts\(\d+,\d+\): (?<error>error TS\d+: .*)$/;

/**
 * Returns the digests of mutants that the compiler rejects, and that could not be shipped. All are compiled at once, each
 * beside its original under a name of its own. The original is compiled so, too; its errors count against no mutant. If a
 * file cannot be parsed, the compiler reports nothing about other files; so the others are compiled again.
 */
export async function refusedByCompiler(
  of: Mutable,
  mutants: readonly Mutant[],
): Promise<ReadonlySet<string>> {
  const first = await refusedAtOnce(of, mutants);
  if (first.size === 0) return first;
  const others = mutants.filter(({ digest }) => !first.has(digest));
  return new Set([...first, ...(await refusedByCompiler(of, others))]);
}

async function refusedAtOnce(
  of: Mutable,
  mutants: readonly Mutant[],
): Promise<ReadonlySet<string>> {
  const folder = join(ROOT, '.mutants/types', `${of}-${process.pid}`);
  prepare(folder, of);
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const text = readFileSync(sourceOf(of, file), 'utf8');
    writeAs(folder, file, RIGHT, text);
    for (const mutant of mutants)
      if (mutant.file === file) writeAs(folder, file, mutant.digest, edited(text, mutant));
  }
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], {
    cwd: folder,
  });
  rmSync(folder, { recursive: true });
  return refused(stdout);
}

function prepare(folder: string, of: Mutable): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(ROOT, 'packages', of, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(ROOT, 'packages', of, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'packages', of, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
}

function writeAs(folder: string, file: string, name: string, text: string): void {
  writeFileSync(join(folder, 'src', file.replace(/\.ts$/, `.as-${name}.ts`)), text);
}

function refused(output: string): ReadonlySet<string> {
  const errors = output.split('\n').flatMap((line) => {
    const { path, digest, error } = ERROR.exec(line)?.groups ?? {};
    return digest === undefined ? [] : [{ digest, error: `${path}: ${error}` }];
  });
  const innocent = new Set(errors.flatMap(({ digest, error }) => (digest === RIGHT ? error : [])));
  const guilty = errors.filter(({ error }) => !innocent.has(error));
  return new Set(guilty.map(({ digest }) => digest));
}
