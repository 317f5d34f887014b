import { drawText } from '@holdfast/check';
import { storyToString } from '@holdfast/sim';
import { sceneOf } from '../../packages/holdfast/src/find/scene-of.ts';
import { difference } from './difference.ts';
import { budgetOf, type Trial } from './mutant.ts';
import type { Finding } from './story.ts';

/** The least telling lines of longer timelines are left out. */
const LINES = 24;

const INTRODUCTION = `# Track record

What the harness has convicted: locks with one thing wrong, at most three lines from the right one, each a mistake that
people have made. For each of them this page shows the mistake, what comes of it, and the smallest story that shows it.

- Each is convicted from each of the seeds 1 to 20, within the number of schedules that it says.
- An unchanged copy of the lock withstands the same schedules, and every one of those that convict. The replay string
  plays the story on the right lock, which withstands it: \`npx holdfast replay\` ends with 0.
- A mutant that survives is a bug of the harness, and breaks the build.

This page is generated: \`npx vitest run --project properties test/broken/track-record.test.ts -u\` writes it anew, and the
tests fail when it is stale. The mutants are in \`test/broken/mutants/\`, their stories in \`test/broken/stories/\`.
`;

/** The whole page. */
export function trackRecord(findings: readonly Finding[]): string {
  return [INTRODUCTION, contents(findings), ...findings.map(chapter)].join('\n');
}

function contents(findings: readonly Finding[]): string {
  const rows = findings.map(({ mutant: { name, trial }, violation }) =>
    row([`[${name}](#${name})`, trial.subject, trial.faults.join(', '), violation.message]),
  );
  return `${row(['mutant', 'lock', 'tried by', 'what the judge says'])}\n${row(['---', '---', '---', '---'])}\n${rows.join('\n')}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function chapter({ mutant, played, story, withstood }: Finding): string {
  const { name, file, why, trial } = mutant;
  const scene = sceneOf(played, story, `${trial.subject} as ${name}`);
  return `## ${name}

${why}

\`\`\`diff
--- packages/${mutant.package}/src/${file}
${difference(mutant).join('\n').trimEnd()}
\`\`\`

${tried(trial)}

\`\`\`text
${drawText(scene, { lines: LINES })}
\`\`\`

\`\`\`text
${storyToString(withstood)}
\`\`\`
`;
}

function tried(trial: Trial): string {
  const { subject, faults, rare, among } = trial;
  const by = faults.includes('none') ? 'contention alone' : `fault ${faults.join(' and ')}`;
  const own = among === undefined ? '' : ', in schedules of its own';
  const budget = `within ${budgetOf(trial).toLocaleString('en-GB')} schedules`;
  const because = rare === undefined ? '' : ` (${rare.because})`;
  return `Convicted on ${subject} under ${by}${own}, ${budget}${because}.`;
}
