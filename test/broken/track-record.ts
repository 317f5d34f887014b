import { clientsOf } from '@holdfast/harness/simulator';
import { isShown } from './illustrated.ts';
import type { MutantStory } from './mutant-story.ts';
import { WITHIN_MUTANTS } from './mutants/within.ts';
import { ZK_MUTANTS } from './mutants/zk.ts';
import { runsOf, saidOf } from './record.ts';
import { SIMULATOR_MUTANTS } from './simulator/mutants.ts';
import { figure, spreadOf } from './spread.ts';
import { pictured, propertyOf } from './track-record-chapter.ts';
import { scheduleWords } from './track-record-trial.ts';

const INTRODUCTION = `# Track record

Does the harness find real mistakes? Each mutant below is a lock with one mistake that people have made, at most three lines
away from the right lock. The last ones of a lock have the mistake in the resource that compares fencing tokens.

- The harness detects every mutant from each of the seeds 1 to 20. The right lock passes the same schedules.
- **Schedules**: how many it took, median and maximum of the 20 seeds.
- **Story**: clients, operations and faults of the smallest schedule that still shows the mistake.
- A mutant that the harness does not detect fails the tests.

\`npm run track-record\` tries all mutants again and writes the full record to \`out/track-record/README.md\`: for each mutant the
diff, the timeline of its story, and a string to replay it. \`npx vitest run --project properties test/broken/track-record.test.ts\`
with \`TRACK_RECORD=write\` only writes it, from the stories in \`test/broken/stories/\`. This page is generated, too.
`;

const SCENES = `## One scene each

No generated schedule reaches these ZooKeeper mistakes. One scene was written for each; the right recipe passes it.
`;

const WITHIN = `## In a transaction

Mistakes in \`within\`, which checks a lease in a transaction of PostgreSQL. Each fails in a scene that the right check passes,
on a simulated server and on a real one.
`;

const SIMULATORS = `## Wrong simulators

A wrong simulator makes every search worthless. Each of these lacks one rule, and one check of \`test/broken/simulator/\` fails.
`;

/** The page of the docs: a line for each mutant. */
export function trackRecord(findings: readonly MutantStory[]): string {
  const subjects = [...new Set(findings.map(({ mutant }) => mutant.trial.subject))];
  const parts = subjects.map((subject) =>
    chapter(
      subject,
      findings.filter(({ mutant }) => mutant.trial.subject === subject),
    ),
  );
  return [
    INTRODUCTION,
    ...parts,
    SCENES,
    scenes(),
    WITHIN,
    inTransactions(),
    SIMULATORS,
    simulators(),
  ].join('\n');
}

function chapter(subject: string, findings: readonly MutantStory[]): string {
  const head = ['mutant', 'its mistake', 'fault', 'property violated', 'schedules', 'story'];
  const lines = findings.map(({ mutant, story: { schedule } }) => {
    const { name, why, trial } = mutant;
    const { median, most } = spreadOf(runsOf(mutant));
    const fault = `${trial.faults.join(' and ')}${scheduleWords(trial)}`;
    const size = [clientsOf(schedule), schedule.ops, schedule.faults].map(({ length }) => length);
    const took = `${figure(median)}, ${figure(most)}`;
    return [anchored(name), why, fault, propertyOf(trial.target), took, size.join(' · ')];
  });
  const shown = findings.filter(({ mutant }) => isShown(mutant.name));
  const pictures = shown.map((finding) => `\n${pictured(finding)}\n`);
  return `## ${subject}\n\n${table([head, ...lines])}${pictures.join('')}`;
}

function scenes(): string {
  const head = ['mutant', 'its mistake', 'scene', 'what it shows'];
  const lines = ZK_MUTANTS.map(({ name, why, scenario }) => [
    anchored(name),
    why,
    scenario,
    saidOf({ name }),
  ]);
  return table([head, ...lines]);
}

function inTransactions(): string {
  const lines = WITHIN_MUTANTS.map(({ name, why, scene }) => [anchored(name), why, scene]);
  return table([['mutant', 'its mistake', 'scene'], ...lines]);
}

function simulators(): string {
  const head = ['mutant', 'what it lacks', 'check', 'what it shows'];
  const lines = SIMULATOR_MUTANTS.map(({ name, why, check }) => [
    anchored(name),
    why,
    check,
    saidOf({ name }),
  ]);
  return table([head, ...lines]);
}

/** Other pages link to it. */
function anchored(name: string): string {
  return `<a id="${name}"></a>${name}`;
}

function table([head = [], ...lines]: readonly (readonly string[])[]): string {
  const rule = head.map(() => '---');
  return [head, rule, ...lines].map((cells) => `| ${cells.map(escaped).join(' | ')} |\n`).join('');
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
