import {
  captionOf,
  headlineOf,
  OUTCOMES,
  type OutcomeId,
  type Scene,
  type TextStyle,
} from '../draw/index.ts';
import { builtInSubject, LOCKS, lockNamed, subjectOf } from '../locks/index.ts';
import { type Claimed, cellIn, loadMatrix, type MatrixColumn, rowName } from '../matrix/index.ts';
import { playGuarded } from '../search/index.ts';
import type { PlayResult, Story, Subject } from '../simulator/index.ts';
import { isFenced, sceneOnLock } from './other-lock.ts';
import { sceneOf } from './scene-of.ts';

/** One schedule on all built-in locks. */
export interface LockComparison {
  readonly title: string;
  readonly scenes: readonly Scene[];
}

/**
 * Runs the schedule of a story on all built-in locks that use servers. Each result is about this schedule only. The lock
 * of the story comes first if it is not one of them.
 * @param own the run of the story on its own lock; by default run here, if the lock is built in
 */
export async function compareLocks(story: Story, own?: PlayResult): Promise<LockComparison> {
  const first = own ?? (await playOnOwnLock(story));
  const others = LOCKS.filter(({ needs }) => needs !== 'nothing').map(({ name }) =>
    subjectOf(name),
  );
  const scenes: Scene[] = [];
  if (first !== undefined && !others.some(({ name }) => name === first.subject))
    scenes.push(sceneOf(first, story, first.subject));
  for (const subject of others) scenes.push(await remarkedScene(subject, story, first));
  const count = COUNTS[scenes.length] ?? scenes.length;
  return { title: `One fault, ${count} answers, in this schedule: ${story.fault}`, scenes };
}

const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

async function playOnOwnLock({ backend, schedule }: Story): Promise<PlayResult | undefined> {
  const subject = builtInSubject(backend);
  return subject === undefined ? undefined : await playGuarded(schedule, subject, { trace: true });
}

async function remarkedScene(
  subject: Subject,
  story: Story,
  own: PlayResult | undefined,
): Promise<Scene> {
  const scene = await sceneOnLock(subject, story, own);
  const fenced = isFenced(story, subject);
  const { outcome } = headlineOf(scene);
  return { ...scene, remark: worseInMatrix({ story, lock: subject.name, fenced, outcome }) };
}

/** The title and headline of each scene. */
export function outcomesOf({ scenes }: LockComparison): readonly {
  readonly title: string;
  readonly headline: ReturnType<typeof headlineOf>;
}[] {
  return scenes.map((scene) => ({ title: scene.title, headline: headlineOf(scene) }));
}

/** The comparison as text: for each lock its outcome, a caption, and worse outcomes that the matrix knows. */
export function formatLockComparison(
  comparison: LockComparison,
  ink: TextStyle,
): readonly string[] {
  const width = Math.max(...comparison.scenes.map(({ title }) => title.length));
  const indent = ' '.repeat(width + 4);
  const lines = outcomesOf(comparison).flatMap(({ title, headline }, i) => {
    const { glyph, colour } = OUTCOMES[headline.outcome];
    return [
      `${ink.colour(colour, glyph)} ${ink.bold(title.padEnd(width))}  ${ink.colour(colour, headline.text)}`,
      ...more(comparison.scenes[i], ink).map((line) => `${indent}${line}`),
    ];
  });
  return [ink.bold(comparison.title), '', ...lines];
}

function more(scene: Scene | undefined, ink: TextStyle): readonly string[] {
  if (scene === undefined) return [];
  const { title, remark } = scene;
  const caption = ink.dim(captionOf(scene).slice(title.length + 2));
  if (remark === undefined) return [caption];
  return [caption, ink.colour(OUTCOMES[remark.outcome].colour, remark.text)];
}

/** A run of a story on one lock, with its outcome. */
interface PlayedStory {
  readonly story: Pick<Story, 'fault' | 'schedule'>;
  /** The name of the lock that ran it. */
  readonly lock: string;
  /** True if the resource that compares tokens was judged. */
  readonly fenced: boolean;
  readonly outcome: OutcomeId;
}

/** Outcomes with the claim of the matrix that they break, the worst first. */
const WORSE: readonly { readonly outcome: OutcomeId; readonly claimed: Claimed }[] = [
  { outcome: 'breaks', claimed: 'validity' },
  { outcome: 'late', claimed: 'belief' },
];
const FENCED: typeof WORSE = [{ outcome: 'breaks', claimed: 'resource' }];

/**
 * The worse outcome of a lock under this fault that the matrix knows and this schedule did not show. One schedule without
 * a violation proves little. Undefined if the matrix knows nothing worse.
 */
function worseInMatrix({ story, lock, fenced, outcome }: PlayedStory): Scene['remark'] {
  const column = columnOf(lock, story.schedule.replicas);
  if (column === undefined) return undefined;
  const ranks = fenced ? FENCED : WORSE;
  const at = ranks.findIndex((each) => each.outcome === outcome);
  const rows = loadMatrix().rows.filter(({ fault }) => fault === story.fault);
  for (const { outcome: worse, claimed } of at < 0 ? ranks : ranks.slice(0, at)) {
    const row = rows.find((each) => cellIn(each, column).claims[claimed].expect === 'breaks');
    if (row === undefined) continue;
    const name = cellIn(row, column).claims[claimed].story;
    return {
      outcome: worse,
      text: `${outcomeSentence(worse)} under ${rowName(row)}${replay(name)}`,
    };
  }
  return undefined;
}

function outcomeSentence(outcome: OutcomeId): string {
  return `${OUTCOMES[outcome].glyph} ${outcome === 'late' ? 'a late holder' : 'broken'} in other schedules`;
}

function replay(name: string | undefined): string {
  return name === undefined ? '' : `: npx holdfast replay ${name}`;
}

/** The column of a lock; with replicas it may have its own column. */
function columnOf(lock: string, replicas: number): MatrixColumn | undefined {
  const pairs =
    replicas > 0 ? lockNamed(lock)?.on.find(({ isReplicated }) => isReplicated) : undefined;
  const name = pairs?.id ?? lock;
  return loadMatrix().columns.find((column) => column === name);
}
