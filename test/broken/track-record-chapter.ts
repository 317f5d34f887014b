import { captionOf, drawSvg, drawText, type Scene } from '@holdfast/harness/draw';
import { clientsOf, storyToString } from '@holdfast/harness/simulator';
import { sceneOf } from '../../harness/test/kit/find.ts';
import { propertyName, type TargetProperty, verdictOf } from '../../harness/test/kit/search.ts';
import { difference } from './difference.ts';
import { isIllustrated } from './illustrated.ts';
import { budgetOf, homeOf } from './mutant.ts';
import type { MutantStory } from './mutant-story.ts';
import { runsOf } from './record.ts';
import { figure, spreadOf } from './spread.ts';
import { scheduleWords } from './track-record-trial.ts';

/** The least telling lines of longer timelines are left out. */
const LINES = 24;

const PROPERTIES: Readonly<Record<string, string>> = {
  validity: 'mutual exclusion',
  fenced: 'fencing',
  liveness: 'liveness',
  fifo: 'the order of the queue',
  ownership: 'what is sent for one hold reaches no other',
  answers: 'what is reported to clients is true',
};

/** The property that detects a mutant, as text. */
export function propertyOf(wanted: TargetProperty): string {
  return PROPERTIES[propertyName(wanted)] ?? propertyName(wanted);
}

/** The part of the page about one mutant. */
export function chapter(finding: MutantStory): string {
  const { mutant, onRightLock } = finding;
  const { name, why } = mutant;
  const scene = sceneAs(finding);
  const drawn = isIllustrated(name) ? `${pictured(finding)}\n\n` : '';
  return `## ${name}

${why}

${diffOf(`${homeOf(mutant.package)}/${mutant.file}`, mutant)}

${setupText(finding, scene)}

${drawn}\`\`\`text
${drawText(scene, { lines: LINES })}
\`\`\`

\`\`\`text
${storyToString(onRightLock)}
\`\`\`
`;
}

/** The picture as a page shows it. */
export function pictured(finding: MutantStory): string {
  return `![${captionOf(sceneAs(finding))}](${pictureFile(finding.mutant.name)})`;
}

/** The same, for who would rather see it. */
export function picture(finding: MutantStory): string {
  return drawSvg(sceneAs(finding));
}

/** Below the folder of the page that shows it. */
export function pictureFile(name: string): string {
  return `pictures/mutant-${name}.svg`;
}

export function diffOf(path: string, texts: Parameters<typeof difference>[0]): string {
  return `\`\`\`diff\n--- ${path}\n${difference(texts).join('\n').trimEnd()}\n\`\`\``;
}

function sceneAs({ mutant: { name, trial }, played, story }: MutantStory): Scene {
  return sceneOf(played, story, `${trial.subject} as ${name}`);
}

function setupText({ mutant, story: { schedule } }: MutantStory, scene: Scene): string {
  const { trial } = mutant;
  const { subject, faults, rare, target } = trial;
  const by = faults.includes('none') ? 'contention alone' : `fault ${faults.join(' and ')}`;
  const because = rare === undefined ? '' : ` (${rare.because})`;
  const { median, most } = spreadOf(runsOf(mutant));
  const took = `${figure(median)} in the median of the seeds 1 to 20, ${figure(most)} at most`;
  return [
    `Detected on ${subject} under ${by}${scheduleWords(trial)}, within ${figure(budgetOf(trial))} schedules${because}: ${took}.`,
    `By ${propertyOf(target)}: ${violationText(scene, target)}.`,
    `The smallest story has ${sizeOf(schedule)}.`,
  ].join('\n');
}

/** In the names of the drawing. */
function violationText({ history, complaints, verdicts }: Scene, wanted: TargetProperty): string {
  if (wanted.property === 'liveness') return complaints?.[0] ?? '';
  const { property } = wanted;
  // Judged by more than the history: by the queue itself, and by what the servers saw.
  if (property === 'fifo' || property === 'ownership' || property === 'answers')
    return verdicts.find((verdict) => verdict.property === property)?.message ?? '';
  return verdictOf(history, wanted).message;
}

function sizeOf(schedule: MutantStory['story']['schedule']): string {
  const { ops, faults } = schedule;
  const clients = counted(clientsOf(schedule).length, 'client');
  return `${clients}, ${counted(ops.length, 'operation')} and ${counted(faults.length, 'fault')}`;
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}
