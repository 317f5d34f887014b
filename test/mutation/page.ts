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

Would anybody notice if a line of a lock were wrong? Every statement, condition, operator and constant of the recipes, of
their Lua scripts and of core’s logic of leases is made wrong, one at a time and by rule, and each of these mutants goes
through what tells right locks from wrong ones. What nothing notices is listed below.

- *Mutations*: a statement, a throw or an \`if\` dropped; a condition negated; \`<\` for \`<=\`, \`&&\` for \`||\`, \`+\` for \`-\`,
  \`min\` for \`max\` and the like; another constant; an \`await\` dropped; an optional property left out; a default always or
  never taken. In Lua, line by line: a statement dropped, a condition negated, operators and constants swapped.
- *Judges*, the cheapest first; the first that notices ends it: the compiler; the contract of every backend, in the simulator;
  the unit tests of the package, those that take minutes or start processes aside, and what mutation has brought to light,
  twice where they notice nothing;
  schedules of every row of the matrix for whatever holds there, with liveness demanded afterwards, and some with longer leases;
  for zk, scenes in which one thing happens at one moment. The right lock passes all of them.
- *First noticed by*: who comes later in this order was asked only about what nobody before had noticed. Schedules come after
  the unit tests, which are a hundred times as quick: a 0 there means that they were not asked, not that they notice nothing.
- *Contract and schedules alone*: what those two notice when no unit test is asked, of a sample: the first ${EACH} of each file,
  in the order of their digests, that compile and are not equivalent. \`HOLDFAST_ALONE=1\` before the command below asks about
  those that are new; a file whose sample has not been asked about shows a dash.
- *Noticed* is the share of mutants that were played, compile, and are not equivalent. What the compiler refuses counts on
  neither side. Mutants are played in the order of their digests, so that those played are a fair sample of the others.
- *Ended by itself*: it could not be loaded, or died, or never came to an end, and was ended after its share of processor time.

StrykerJS, which we looked at first, runs a suite of tests against each mutant; our judges are played schedules in virtual
time, and a good part of what is mutated here is Lua in template strings, so we kept its operators and left its runner.

\`npx vitest run --project deep test/deep/mutation.test.ts -u\` plays what is new and writes this page; what has been judged is
kept in \`test/mutation/record/\` by a digest of the mutated file. \`HOLDFAST_SLICE_S=600\` plays a slice of ten minutes,
\`HOLDFAST_WORKERS=1\` on one core, \`HOLDFAST_PACKAGES=redlock,core\` these alone, \`HOLDFAST_SHARE=0.1\` a tenth of all mutants, and
\`HOLDFAST_AGAIN=1\` asks once more about what nobody noticed, when there are new tests.
`;

const TITLES: Readonly<Record<Finder, string>> = {
  contract: 'first noticed by the contract',
  unit: 'by unit tests',
  schedules: 'by schedules, asked of the rest',
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
  'refused by the compiler',
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

/** A sample of fewer says nothing of the rest. */
const SAMPLE_MIN = 30;

function share(tally: MutantTally): string {
  const judged = killed(tally) + tally.open.length;
  if (judged < (tally.unplayed > 0 ? SAMPLE_MIN : 1)) return '–';
  // Never rounded up: nothing that has an open one shows 100 %.
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
