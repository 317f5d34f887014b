import { clientsOf, type Schedule, type Subject, storyToString } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { subjectOf } from '../../../harness/test/kit/locks.ts';
import {
  ALWAYS,
  type Always,
  alwaysOf,
  type CellResult,
  CLAIMED,
  type Claimed,
  cellIn,
  contradictedClaims,
  type ExpectedCell,
  type FirstViolation,
  loadMatrix,
  type MatrixColumn,
  provesNothing,
  type Row,
  rowName,
  rowsOf,
  runCell,
  stuckIn,
  TARGET_OF,
  violatedIn,
} from '../../../harness/test/kit/matrix.ts';
import {
  minimiseToStory,
  propertyName,
  replayTraced,
  type SearchOptions,
  search,
} from '../../../harness/test/kit/search.ts';
import { LIVENESS } from '../../broken/mutant.ts';
import { mutantOf } from './mutants.ts';
import { SCHEDULES, SEARCHED, seedOf } from './schedules.ts';
import { isTrue, TRUTHFUL } from './true-replies.ts';

/** The numbers of schedules and seeds for each cell. */
export interface Effort {
  /** Schedules of a cell in which a lock must hold. */
  readonly schedules: number;
  /** The seed of these; 1 by default. */
  readonly seed?: (row: Row, column: MatrixColumn) => number;
  /** Schedules of each seed among which a lock must break. */
  readonly searched: number;
  /** The number of seeds, from 1 on, from each of which a break that must happen is found. */
  readonly seeds: number;
  /** From how many of those what was found is made small. */
  readonly minimised: number;
  readonly timeoutMs: number;
  /** True to judge also what is reported to clients. */
  readonly answers?: true;
  /** Returns a stored result of a cell, if it has as many schedules, of today's code. */
  readonly kept?: (row: Row, column: MatrixColumn) => Promise<CellResult | undefined>;
}

const MATRIX = loadMatrix();
/** Limits of a story that people can read. */
const CLIENTS_MAX = 3;
const FAULTS_MAX = 2;

/** Both directions for every cell of one column: what holds is shown to, what breaks is found. */
export function matrixTests(
  column: MatrixColumn,
  effort: Effort,
  isMeant: (row: Row) => boolean = () => true,
): void {
  for (const row of rowsOf(MATRIX, column).filter(isMeant)) {
    const cell = cellIn(row, column);
    const holding = CLAIMED.filter((claimed) => cell.claims[claimed].expect === 'holds');
    const breaking = CLAIMED.filter((claimed) => cell.claims[claimed].expect === 'breaks');
    if (holding.length + breaking.length === 0) continue;
    describe(`${rowName(row)} on ${column}`, () => {
      if (holding.length > 0) holdsTests(row, column, holding, effort);
      if (breaking.length > 0) breaksTests(row, column, breaking, effort);
    });
  }
}

function holdsTests(
  row: Row,
  column: MatrixColumn,
  holding: readonly Claimed[],
  { schedules, seed: seedIn = usualSeed, timeoutMs, answers, kept = keptNowhere }: Effort,
): void {
  const seed = seedIn(row, column);
  const cell = cellIn(row, column);
  const subject = subjectOf(column);
  const isJudgedForReplies = answers === true && TRUTHFUL.includes(column) && isTrue(row);
  const always = [...alwaysOf(MATRIX, column), ...(isJudgedForReplies ? ['answers'] : [])];

  test(`${holding.join(' and ')} hold in ${schedules} schedules`, {
    timeout: timeoutMs,
  }, async () => {
    const known = await kept(row, column);
    const trial = known ?? (await runCell(subject, row, { seed, budget: schedules }));

    const wrong = contradictedClaims(trial, cell).filter((claimed) => holding.includes(claimed));
    expect(wrong, await shown(trial, wrong, subject)).toEqual([]);
    for (const each of always) {
      const unkept = trial.findings.get(each);
      expect(unkept?.violation.message, JSON.stringify(unkept?.schedule)).toBeUndefined();
      expect(trial.tally.violated[each] ?? 0, each).toBe(0);
    }
    expect(provesNothing(trial, cell), await shown(trial, ['liveness'], subject)).toBeUndefined();
    const when = known === undefined ? '' : ', played before';
    console.info(`${rowName(row)} on ${column}${when}: ${rate(trial)}`);
  });

  for (const [mutant, each] of alwaysMutants(row, column))
    test(`${mutant} is detected by ${each} in the same schedules`, {
      timeout: timeoutMs,
    }, async () => {
      const wrong = await mutantOf(mutant, column);

      const trial = await runCell(wrong, row, {
        seed,
        budget: schedules,
        targets: [{ property: each, fenced: false }],
      });

      expect(trial.findings.get(each)?.violation.kind, `not in ${schedules}`).toBe('violated');
    });

  for (const [mutant, claimed] of mutantsIn(cell, holding)) {
    test(`${mutant} is detected by the same schedules`, { timeout: timeoutMs }, async () => {
      const wrong = await mutantOf(mutant, column);

      const trial = await runCell(wrong, row, {
        seed,
        budget: schedules,
        // Where nobody may wait without end, the first who does is enough; such schedules are long.
        targets: [TARGET_OF[claimed], ...(cell.stuck === 0 ? [LIVENESS] : [])],
        shouldStop: (sofar) => isDetected(sofar, cell, claimed),
      });

      expect(isDetected(trial, cell, claimed), `not in ${schedules} schedules`).toBe(true);
    });
  }
}

function usualSeed(): number {
  return 1;
}

function keptNowhere(): Promise<undefined> {
  return Promise.resolve(undefined);
}

function breaksTests(
  row: Row,
  column: MatrixColumn,
  breaking: readonly Claimed[],
  { searched: schedules, seeds, minimised, timeoutMs }: Effort,
): void {
  const subject = subjectOf(column);
  let fromSeeds: Promise<readonly Hits[]> | undefined;
  const found = (): Promise<readonly Hits[]> =>
    (fromSeeds ??= eachSeed(seeds, (seed) =>
      firstOfEach(breaking, { subject, faults: [row.fault], setup: row.setup, seed, schedules }),
    ));

  for (const claimed of breaking)
    test(`${claimed} breaks, from every seed`, { timeout: timeoutMs }, async () => {
      const missed: number[] = [];
      const sizes: string[] = [];
      for (const [i, hits] of (await found()).entries()) {
        const seed = i + 1;
        const schedule = hits.get(claimed);
        if (schedule === undefined) missed.push(seed);
        if (schedule === undefined || seed > minimised) continue;
        const { story } = await minimiseToStory(schedule, subject, TARGET_OF[claimed], { seed });
        const { length: faults } = story.schedule.faults;
        const { length: clients } = clientsOf(story.schedule);
        if (clients > CLIENTS_MAX || faults > FAULTS_MAX)
          sizes.push(`seed ${seed}: ${clients} clients, ${faults} faults\n${replayOf(story)}`);
      }

      expect(missed, 'seeds from which it was not found').toEqual([]);
      expect(sizes, 'too large to read').toEqual([]);
    });
}

/** The first schedule of a seed that breaks each claim, where one was found. */
type Hits = ReadonlyMap<Claimed, Schedule>;

async function eachSeed<T>(seeds: number, find: (seed: number) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let seed = 1; seed <= seeds; seed++) found.push(await find(seed));
  return found;
}

/** Finds for every claim, in one pass, the schedule that a search for that claim alone would find: schedules come in one order. */
async function firstOfEach(
  breaking: readonly Claimed[],
  { schedules, ...what }: Omit<SearchOptions, 'budget'> & { readonly schedules: number },
): Promise<Hits> {
  const hits = new Map<Claimed, Schedule>();
  let last = schedules;
  await search({
    ...what,
    budget: schedules,
    limit: () => last,
    onViolation: (schedule, { property, fenced }, n) => {
      for (const claimed of breaking) {
        const wanted = TARGET_OF[claimed];
        if (hits.has(claimed) || wanted.property !== property || wanted.fenced !== fenced) continue;
        hits.set(claimed, schedule);
        if (hits.size === breaking.length) last = n;
      }
    },
  });
  return hits;
}

/** "None in N" is no "never": at 95 % the rate is below 3/N (the rule of three). */
function rate({ tally: { schedules, effective, ops, accepted, sometimes } }: CellResult): string {
  const reached = Object.entries(sometimes).map(
    ([state, count]) => `${state} in ${percent(count, schedules)}`,
  );
  return [
    `none in ${schedules}, at 95 % fewer than ${percent(3, schedules)}`,
    `the fault took effect in ${percent(effective, schedules)}`,
    `${percent(accepted, ops)} of the operations were done`,
    ...reached,
  ].join('; ');
}

function percent(part: number, whole: number): string {
  return `${Number(((100 * part) / whole).toPrecision(2))} %`;
}

/** The mutants that this row detects by what holds in all rows. */
function alwaysMutants(row: Row, column: MatrixColumn): readonly (readonly [string, Always])[] {
  return ALWAYS.flatMap((kept) => {
    const { mutants, rows } = MATRIX.always[kept];
    const mutant = mutants[column];
    return mutant !== undefined && rows.includes(rowName(row)) ? [[mutant, kept] as const] : [];
  });
}

/** The mutant of each claim that names one. */
function mutantsIn(
  cell: ExpectedCell,
  holding: readonly Claimed[],
): readonly (readonly [string, Claimed])[] {
  return holding.flatMap((claimed) => {
    const { mutant } = cell.claims[claimed];
    return mutant === undefined ? [] : ([[mutant, claimed]] as const);
  });
}

/** True if a mutant is detected, for safety or for liveness: a client waits without end, or too few operations succeed. */
export function isDetected(trial: CellResult, cell: ExpectedCell, claimed: Claimed): boolean {
  const { schedules, accepted, ops } = trial.tally;
  return (
    violatedIn(trial, claimed) > 0 ||
    stuckIn(trial) > schedules * cell.stuck ||
    accepted < ops * cell.accepted
  );
}

async function shown(
  { findings }: CellResult,
  kinds: readonly (Claimed | 'liveness')[],
  subject: Subject,
): Promise<string> {
  const found = kinds.flatMap((kind) => findings.get(nameOfKind(kind)) ?? []);
  const lines = await Promise.all(found.map((finding) => replayed(finding, subject)));
  return lines.join('\n');
}

function nameOfKind(kind: Claimed | 'liveness'): string {
  return kind === 'liveness' ? kind : propertyName(TARGET_OF[kind]);
}

async function replayed(
  { schedule, violation }: FirstViolation,
  subject: Subject,
): Promise<string> {
  const { story } = await replayTraced(schedule, subject, violation);
  return `${violation.message}\n${replayOf(story)}`;
}

function replayOf(story: Parameters<typeof storyToString>[0]): string {
  return `npx holdfast replay ${storyToString(story)}`;
}

/** In `npm test`; the variables are for trying things out. */
export const QUICK: Effort = {
  schedules: Number(process.env['HOLDFAST_SCHEDULES'] ?? SCHEDULES),
  seed: seedOf,
  searched: Number(process.env['HOLDFAST_SCHEDULES'] ?? SEARCHED),
  seeds: Number(process.env['HOLDFAST_SEEDS'] ?? 2),
  minimised: 1,
  timeoutMs: 300_000,
  answers: true,
};
