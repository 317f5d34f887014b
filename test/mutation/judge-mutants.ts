import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { MADE, SOURCE } from '../support/built.ts';
import type { Case } from './judge-process.ts';
import { type CaseVerdict, JudgeWorker } from './judge-worker.ts';
import { edited, type Mutable, type Mutant } from './mutant.ts';
import { ROOT, sourceOf } from './targets.ts';

/** The judge, and the time that it has. */
export interface JudgeOptions {
  /** The module of this folder that is run for it, in processes of their own. */
  readonly script: `${string}-process.ts`;
  readonly args?: readonly string[];
  /** The number of processes that judge at once. */
  readonly workers: number;
  /** The wall-clock time after which no more cases are begun. */
  readonly untilMs: number;
}

/** Has mutants of one package judged, each by one process; one that a mutant takes down with it is replaced. */
export async function judgeMutants(
  of: Mutable,
  mutants: readonly Mutant[],
  { script, args = [], workers, untilMs }: JudgeOptions,
  onVerdict: (verdict: CaseVerdict) => void,
): Promise<void> {
  const folder = join(ROOT, '.mutants/judged', `${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const path = await scriptOf(script);
  const left = mutants.values();
  const next = (): Case | undefined => {
    const mutant = Date.now() < untilMs ? left.next().value : undefined;
    return mutant === undefined ? undefined : caseOf(mutant);
  };
  const benches = Array.from(
    { length: Math.min(workers, mutants.length) },
    () => new JudgeWorker({ script: path, args: [of, folder, ...args], next, onVerdict }),
  );
  try {
    await Promise.all(benches.map((bench) => bench.run()));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(path);
  }
}

function caseOf(mutant: Mutant): Case {
  const text = edited(readFileSync(sourceOf(mutant.package, mutant.file), 'utf8'), mutant);
  return { digest: mutant.digest, file: mutant.file, text };
}

/** Within reach of what the tests have installed. */
const FOLDER = join(ROOT, 'test/node_modules/.bundles');

/**
 * Bundles a module of this folder into one script, for a process of its own. Built packages stay outside of it, so that
 * copies of one find the other packages that the script uses.
 * @returns its path
 */
async function scriptOf(module: string): Promise<string> {
  const build = await rolldown({
    input: join(ROOT, 'test/mutation', module),
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'built',
        async resolveId(source, importer) {
          if (importer === undefined) return null;
          if (!/^\.{0,2}\//.test(source)) return { id: source, external: true };
          const found = await this.resolve(source, importer, { skipSelf: true });
          if (found === null || !SOURCE.test(found.id)) return found;
          const id = found.id.replace(SOURCE, MADE);
          return { id, external: 'absolute' };
        },
      },
    ],
  });
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `mutation-${process.pid}-${module.replace(/\.ts$/, '.mjs')}`);
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  return file;
}
