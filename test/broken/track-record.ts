import { clientsOf } from '@holdfast/harness/simulator';
import { byScenes, wrongSimulators } from './by-scenes.ts';
import { isIllustrated } from './illustrated.ts';
import { figure, spreadOf } from './middle.ts';
import type { MutantStory } from './mutant-story.ts';
import { runsOf } from './record.ts';
import { chapter, propertyOf } from './track-record-chapter.ts';

const INTRODUCTION = `# Track record

What the harness has convicted: locks with one thing wrong, at most three lines from the right one, each a mistake that
people have made. For each of them this page shows the mistake, what comes of it, and the smallest story that shows it. The
last of them have a right lock, and the mistake in the guard that compares fencing tokens at the resource.

- Each is convicted from each of the seeds 1 to 20, within the number of schedules that it says.
- The schedules are those that \`find\` and the matrix generate for the fault. Where they are not, the sentence that begins
  with *Convicted on* says what else was asked for.
- An unchanged copy of the lock withstands the same schedules, and every one of those that convict. The replay string
  plays the story on the right lock, which withstands it: \`npx holdfast replay STRING\` ends with 0. For the conviction
  itself apply the diff, build (\`npx tsc -b\`), and replay the same string: it shows the drawing of this page, and ends with
  1, for what was \`ok\` is \`violated\` now.
- A mutant that survives is a bug of the harness, and breaks the build.

This page is generated, and the tests fail when it is stale. The mutants are in \`test/broken/mutants/\`, their stories in
\`test/broken/stories/\`, and how many schedules each seed took in \`test/broken/record/\`, kept by the tests that try them.
\`npm run track-record\` tries all of them anew and then writes this page and its pictures.
`;

/** The whole page. */
export function trackRecord(findings: readonly MutantStory[]): string {
  return [
    INTRODUCTION,
    contents(findings),
    legend(findings),
    ...findings.map(chapter),
    byScenes(),
    wrongSimulators(),
  ].join('\n');
}

function contents(findings: readonly MutantStory[]): string {
  const head = ['mutant', 'lock', 'tried by', 'convicted by', 'median', 'maximum', 'story'];
  const rule = ['---', '---', '---', '---', '--:', '--:', '--:'];
  return [head, rule, ...findings.map(figuresOf)].map(row).join('\n').concat('\n');
}

function figuresOf({ mutant, story: { schedule } }: MutantStory): readonly string[] {
  const { name, trial } = mutant;
  const { median, most } = spreadOf(runsOf(mutant));
  const size = [clientsOf(schedule), schedule.ops, schedule.faults].map(({ length }) => length);
  return [
    `[${name}](#${name})`,
    trial.subject,
    trial.faults.join(', '),
    propertyOf(trial.target),
    figure(median),
    figure(most),
    size.join(' · '),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function legend(findings: readonly MutantStory[]): string {
  const drawn = findings
    .map(({ mutant: { name } }) => name)
    .filter(isIllustrated)
    .map((name) => `[${name}](#${name})`);
  return `*Median* and *maximum*: how many schedules it took until one convicted, over the seeds 1 to 20. *Story*: clients,
operations and faults of the smallest schedule that still does.

Drawn as well:
${drawn.join(',\n')}.

At the end stand [what one scene tells](#by-one-scene), and [simulators that are wrong](#wrong-simulators).
`;
}
