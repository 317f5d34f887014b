import { BaseSequencer, createVitest, type TestModule, type TestSpecification } from 'vitest/node';
import { ask, tell } from '../support/parent.ts';
import type { Case } from './judge-process.ts';
import type { Mutable } from './mutant.ts';
import { ROOT, sourceOf } from './targets.ts';
import { Watchdog } from './watchdog.ts';

/** Of processor time, for all unit tests of a package: some times what they take beside the right lock. */
const CPU_MS_MAX = 30_000;
/**
 * Sometimes tests pass on a mutant that they notice at every other run: a run that a failure ended ends the next one, too, or
 * a module outlives its change. So a mutant that is not noticed is tested once more.
 */
const CLEAN_MIN = 2;
const RUNS_MAX = 4;

/** These take long, start processes, want a collector that obeys, or do without a package that is here. */
const SLOW = [
  'collector',
  'heap-growth',
  'runtime',
  'native',
  'properties/backend-calls',
  'properties/chaotic-schedules',
  'properties/memory-lease',
].map((name) => `packages/*/test/${name}.test.ts`);

/** These need real servers, or play many schedules. */
const NOT_UNIT = [
  'packages/*/test/servers/**',
  'packages/redis-simple/test/properties/world.test.ts',
  'packages/redlock/test/properties/{healing,waiters}.test.ts',
  'packages/zk/test/properties/**',
];

let current: Case | undefined;

/** The time that each file of tests took when it passed. */
const tookMs = new Map<string, number>();
/** How often each file of tests noticed a mutant, by the mutated file. */
const noticed = new Map<string, number>();
/** Of a file of tests that has noticed no mutant of this file yet. */
const NOTICED_MIN = 0.2;

/** Most mutants are noticed by tests that take next to nothing, and by those that noticed others in the same file. */
class LikeliestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => costOf(a) - costOf(b)));
  }
}

/** The time that a file of tests takes for each mutant that it notices. Those that have not passed yet come last. */
function costOf({ moduleId }: TestSpecification): number {
  const took = tookMs.get(moduleId) ?? Number.MAX_VALUE / 10;
  return took / (noticed.get(noticedKey(moduleId)) ?? NOTICED_MIN);
}

function countNotice({ moduleId }: TestModule): void {
  const key = noticedKey(moduleId);
  noticed.set(key, (noticed.get(key) ?? 0) + 1);
}

function noticedKey(moduleId: string): string {
  return `${current?.file} ${moduleId}`;
}

const [package_ = ''] = process.argv.slice(2);
const of = package_ as Mutable;
/** The packages whose tests judge the mutant: a mistake in what recipes share shows in each of them. */
const judging = of === 'redis' ? '{redis,redis-simple,redis-getset,redlock}' : of;
const conditions = ['@holdfast/source', 'node', 'import', 'default'];

/** True if any test has loaded the mutant. */
let isServed = false;
const vitest = await createVitest(
  'test',
  {
    config: false,
    root: ROOT,
    watch: false,
    include: [`packages/${judging}/test/**/*.test.ts`],
    exclude: [...SLOW, ...NOT_UNIT],
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
    sequence: { sequencer: LikeliestFirst },
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
          isServed = true;
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
  for (let n = 0, clean = 0; n < RUNS_MAX && clean < CLEAN_MIN; n++) {
    watchdog.reset();
    const { finding, isWhole } = await run(sourceOf(of, next.file));
    if (finding !== undefined) return finding;
    if (isWhole) clean++;
  }
  return null;
}

async function run(file: string): Promise<{ finding: string | undefined; isWhole: boolean }> {
  isServed = false;
  vitest.invalidateFile(file);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(tests, true);
  vitest.invalidateFile(file);
  for (const module of testModules) {
    if (module.state() === 'passed') tookMs.set(module.moduleId, module.diagnostic().duration);
    if (!module.ok()) countNotice(module);
  }
  const [finding] = testModules.flatMap(failureIn);
  const isWhole = isServed && testModules.every((module) => module.state() === 'passed');
  return {
    finding: finding ?? (unhandledErrors.length > 0 ? 'unit: unhandled error' : undefined),
    isWhole,
  };
}

function failureIn(module: TestModule): string[] {
  const [failed] = [...module.children.allTests('failed')];
  if (failed !== undefined) return [`unit: ${failed.fullName}`];
  return module.ok() ? [] : [`unit: ${module.relativeModuleId}`];
}

for (;;) {
  const next = (await ask('next')) as Case | null;
  if (next === null) break;
  tell({ digest: next.digest, finding: await findingOf(next) });
}
await vitest.close();
process.exit();
