import { linesOf, oneLine, reasonOf } from './equivalents.ts';
import { type Ledger, sampleOf } from './ledger.ts';
import type { Mutable, Mutant } from './mutant.ts';
import {
  FINDERS,
  type Finder,
  killed,
  killedShare,
  type MutantTally,
  tallyOf,
} from './mutant-tally.ts';
import { EACH, type ScheduleOnlyRecord } from './schedule-only-record.ts';
import { FILES } from './targets.ts';

export interface JudgedPackage {
  readonly of: Mutable;
  readonly mutants: readonly Mutant[];
  readonly ledger: Ledger;
  readonly alone: ScheduleOnlyRecord;
}

const INTRODUCTION = `# Mutation

Would a test notice if a line of a lock were wrong? A mutation changes one statement, condition, operator or constant, by a
rule: in the recipes, in their Lua scripts, and in core’s logic of leases. Each mutant is then judged by the tests that tell
correct locks from wrong ones. Mutants that no test notices are listed below.

- *Mutations*: a statement, a throw or an \`if\` dropped; a condition negated; \`<\` for \`<=\`, \`&&\` for \`||\`, \`+\` for \`-\`,
  \`min\` for \`max\` and the like; another constant; an \`await\` dropped; an optional property left out; a default always or
  never taken. In Lua, line by line: a statement dropped, a condition negated, operators and constants swapped.
- *Judges*, the cheapest first; the first that notices a mutant ends its trial. First the compiler, then the contract of every
  backend, in the simulator. Then the unit tests of the package, except those that take minutes or start processes; they run
  twice if they notice nothing. Then schedules of every row of the matrix for the claims that hold there, with liveness after
  them, and some with longer leases. For zk, also scenes in which one event happens at one moment. The correct lock passes all.
  No test on real servers is asked: what only a cluster, a replica or another library’s lock shows is open here.
- *First noticed by*: a later judge judges only mutants that no earlier one noticed. Schedules come after the unit tests, which
  are a hundred times as quick. A 0 there means that they did not run, not that they notice nothing.
- *Contract and schedules alone*: mutants that those two notice without unit tests, of a sample: the first ${EACH} of each file,
  in the order of their digests, that compile and are not equivalent. \`HOLDFAST_ALONE=1\` before the command below judges the
  new ones; a dash means that the sample of a file has not been judged.
- *Noticed* is the share of mutants that were played, compile, and are not equivalent. Mutants that the compiler rejects count
  on neither side. Mutants are played in the order of their digests, so those played are a fair sample of the others.
- *Ended by itself*: the mutant could not be loaded, or died, or did not end within its share of processor time.

StrykerJS runs a suite of tests against each mutant. Our judges play schedules in virtual time, and much of the mutated code
is Lua in template strings. So we use its operators and not its runner.

\`npx vitest run --project deep test/deep/mutation.test.ts -u\` plays new mutants and writes this page. Results are kept in
\`test/mutation/record/\`, by a digest of the mutated file. \`HOLDFAST_SLICE_S=600\` plays a slice of ten minutes,
\`HOLDFAST_WORKERS=1\` uses one core, \`HOLDFAST_PACKAGES=redlock,core\` plays only these, \`HOLDFAST_SHARE=0.1\` a tenth of all mutants,
and \`HOLDFAST_AGAIN=1\` judges once more the mutants that no test noticed, when there are new tests.
`;

const TITLES: Readonly<Record<Finder, string>> = {
  contract: 'first noticed by the contract',
  unit: 'by unit tests',
  schedules: 'by schedules, of the rest',
  scene: 'by scenes, of the rest',
  end: 'ended by itself',
};

/** The whole page. */
export function mutationPage(all: readonly JudgedPackage[]): string {
  const chapters = all.map(chapter);
  return [INTRODUCTION, summary(all), ...chapters].join('\n');
}

function summary(all: readonly JudgedPackage[]): string {
  const rows = all.map((judged) => {
    const { of, mutants, ledger } = judged;
    return figures(of, tallyOf(mutants, judgedOf(mutants, ledger), ledger), FILES[of], judged);
  });
  return `${table(['package', ...COLUMNS], rows)}\n`;
}

const COLUMNS = [
  'mutants',
  'rejected by the compiler',
  ...FINDERS.map((finder) => TITLES[finder]),
  'equivalent',
  'open',
  'not played',
  'noticed',
  'contract and schedules alone',
];

function figures(
  name: string,
  tally: MutantTally,
  files: readonly string[],
  judged: JudgedPackage,
): readonly string[] {
  const { mutants, refused, found, equivalent, open, unplayed } = tally;
  const counts = [
    mutants,
    refused,
    ...FINDERS.map((finder) => found[finder]),
    equivalent.length,
    open.length,
    unplayed,
  ];
  return [name, ...counts.map(String), share(tally), noticedAlone(files, judged)];
}

function noticedAlone(files: readonly string[], { mutants, alone }: JudgedPackage): string {
  const sample = files.flatMap((file) => alone.sampleOf(mutants, file));
  const noticed = alone.detectedIn(sample);
  return noticed === undefined || sample.length === 0 ? '–' : `${noticed} of ${sample.length}`;
}

/** A smaller sample says nothing about the rest. */
const SAMPLE_MIN = 30;

function share(tally: MutantTally): string {
  const judged = killed(tally) + tally.open.length;
  if (judged < (tally.unplayed > 0 ? SAMPLE_MIN : 1)) return '–';
  // Never rounded up: a package with an open mutant does not show 100 %.
  return `${(Math.floor(killedShare(tally) * 1000) / 10).toFixed(1)} %`;
}

function chapter(judged: JudgedPackage): string {
  const { of, mutants, ledger } = judged;
  const sample = judgedOf(mutants, ledger);
  const files = FILES[of].map((file) => {
    const tally = tallyOf(
      mutants.filter((mutant) => mutant.file === file),
      sample,
      ledger,
    );
    return figures(file, tally, [file], judged);
  });
  const { equivalent, open } = tallyOf(mutants, sample, ledger);
  const parts = [
    `## ${of}\n`,
    `${table(['file', ...COLUMNS], files)}\n`,
    ...listed('Open', open, () => undefined),
    ...listed('Equivalent', equivalent, reasonOf),
  ];
  return parts.join('\n');
}

function judgedOf(mutants: readonly Mutant[], ledger: Ledger): ReadonlySet<Mutant> {
  return new Set(sampleOf(mutants, ledger));
}

function listed(
  title: string,
  mutants: readonly Mutant[],
  why: (mutant: Mutant) => string | undefined,
): readonly string[] {
  if (mutants.length === 0) return [];
  return [
    `### ${title}, ${mutants.length}\n`,
    ...mutants.map((mutant) => shown(mutant, why(mutant))),
  ];
}

function shown(mutant: Mutant, why: string | undefined): string {
  const { right, wrong } = linesOf(mutant);
  const place = `\`${mutant.file}:${mutant.line}\`, ${mutant.what}`;
  const lines = [
    ...right.map((line) => `-${line.trimEnd()}`),
    ...(oneLine(wrong) === '' ? [] : wrong.map((line) => `+${line.trimEnd()}`)),
  ];
  return `${place}${why === undefined ? '' : `: ${why}`}\n\n\`\`\`diff\n${lines.join('\n')}\n\`\`\`\n`;
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_, at) => (at === 0 ? '---' : '--:'));
  return [head, rule, ...rows].map(rowOf).join('\n');
}
