import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clientsOf, type Schedule, type Story } from '@holdfast/harness/simulator';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import {
  CLAIMED,
  type Claimed,
  loadMatrix,
  type MatrixColumn,
  type Row,
  TARGET_OF,
} from '../../harness/test/kit/matrix.ts';
import { minimiseToStory, search } from '../../harness/test/kit/search.ts';
import { storyText } from '../support/story-text.ts';

/** They come with the package, so that its users can replay them by name. */
const FOLDER = fileURLToPath(new URL('../../harness/stories/', import.meta.url));

/** A story that the matrix points to. */
export interface NamedStory {
  readonly name: string;
  readonly row: Row;
  readonly column: MatrixColumn;
  readonly claimed: Claimed;
}

/** Every story that the matrix names, once. */
export function namedStories(): readonly NamedStory[] {
  const all = loadMatrix().rows.flatMap((row) =>
    Object.entries(row.cells).flatMap(([column, cell]) =>
      CLAIMED.flatMap((claimed) => {
        const name = cell.claims[claimed].story;
        return name === undefined ? [] : { name, row, column: columnOf(column), claimed };
      }),
    ),
  );
  return all.filter(({ name }, i) => all.findIndex((each) => each.name === name) === i);
}

/** Names of the stories that are kept. */
export function keptNames(): readonly string[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}

function pathOf(name: string): string {
  return `${FOLDER}${name}.json`;
}

export function textOf(name: string): string {
  return readFileSync(pathOf(name), 'utf8');
}

export function keep(name: string, story: Story): void {
  writeFileSync(pathOf(name), storyText(story));
}

/** The first schedule found is not always the one with the smallest minimum. */
const SEEDS = 2;

/** Searches and minimises from several seeds, and takes the smallest. */
export async function made({ row, column, claimed }: NamedStory, budget = 20_000): Promise<Story> {
  const subject = subjectOf(column);
  const wanted = TARGET_OF[claimed];
  const stories: Story[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const options = {
      subject,
      faults: [row.fault],
      setup: row.setup,
      targets: [wanted],
      budget,
      seed,
    };
    const { counterexample } = await search(options);
    if (counterexample !== undefined)
      stories.push(
        (await minimiseToStory(counterexample.schedule, subject, wanted, { seed })).story,
      );
  }
  const smallest = stories.toSorted((a, b) => weightOf(a.schedule) - weightOf(b.schedule))[0];
  if (smallest === undefined)
    throw new Error(`${claimed} of ${column} does not break under ${row.fault}`);
  return smallest;
}

/** The number of elements counts for more than any value. */
function weightOf({ ops, faults, ...schedule }: Schedule): number {
  const ms = [...ops.map(({ atMs, holdMs }) => atMs + holdMs), ...faults.map(sizeOfFault)];
  const elements = ops.length + faults.length + clientsOf({ ops }).length;
  return elements * 1e6 + ms.reduce((a, b) => a + b, 0) + Math.abs(schedule.replicaClockMs);
}

function sizeOfFault(fault: Schedule['faults'][number]): number {
  const mask = 'nodes' in fault ? fault.nodes : 0;
  return mask * 1e3 + ('ms' in fault ? Math.abs(fault.ms) : 0);
}

function columnOf(column: string): MatrixColumn {
  const { columns, topologies } = loadMatrix();
  const known = [...columns, ...topologies.columns].find((each) => each === column);
  if (known === undefined) throw new Error(`${column} is no column of the matrix`);
  return known;
}
