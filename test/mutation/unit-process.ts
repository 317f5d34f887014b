import { createVitest } from 'vitest/node';
import { ask, tell } from '../support/parent.ts';
import type { Case } from './judge-process.ts';
import type { Mutable } from './mutant.ts';
import { ROOT, sourceOf } from './targets.ts';
import { Watchdog } from './watchdog.ts';

/** Of processor time, for all unit tests of a package. */
const CPU_MS_MAX = 60_000;

/** These take long, start processes, want a collector that obeys, or do without a package that is here. */
const SLOW = ['stress', 'leaked', 'nothing-left', 'runtime', 'manners', 'native'].map(
  (name) => `packages/*/test/${name}.test.ts`,
);

const [package_ = ''] = process.argv.slice(2);
const of = package_ as Mutable;
const conditions = ['@holdfast/source', 'node', 'import', 'default'];

let current: Case | undefined;
const vitest = await createVitest(
  'test',
  {
    config: false,
    root: ROOT,
    watch: false,
    include: [
      `packages/${of}/test/**/*.test.ts`,
      `test/properties/noticed-${of}*.test.ts`,
      `test/properties/${of}-{keys,queue,validity,lease}.test.ts`,
    ],
    exclude: SLOW,
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
    bail: 1,
    testTimeout: 20_000,
    reporters: [{}],
    cache: false,
  },
  {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        transform(_, id) {
          if (current === undefined || id !== sourceOf(of, current.file)) return undefined;
          return { code: current.text, map: null };
        },
      },
    ],
  },
);
const tests = await vitest.globTestSpecifications();
const watchdog = new Watchdog({ cpuMsMax: CPU_MS_MAX });

async function findingOf(next: Case): Promise<string | null> {
  current = next;
  vitest.invalidateFile(sourceOf(of, next.file));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(tests, true);
  vitest.invalidateFile(sourceOf(of, next.file));
  for (const module of testModules) {
    const [failed] = [...module.children.allTests('failed')];
    if (failed !== undefined) return `unit: ${failed.fullName}`;
    if (!module.ok()) return `unit: ${module.relativeModuleId}`;
  }
  return unhandledErrors.length > 0 ? 'unit: unhandled error' : null;
}

for (;;) {
  const next = (await ask('next')) as Case | null;
  if (next === null) break;
  watchdog.reset();
  tell({ digest: next.digest, finding: await findingOf(next) });
}
await vitest.close();
process.exit();
