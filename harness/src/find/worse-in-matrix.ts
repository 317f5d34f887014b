import { OUTCOMES, type OutcomeId, type Scene } from '../draw/index.ts';
import { lockNamed } from '../locks/index.ts';
import { type Claimed, cellIn, loadMatrix, type MatrixColumn, rowName } from '../matrix/index.ts';
import type { Story } from '../simulator/index.ts';

/** What was played, and what came of it. */
interface PlayedStory {
  readonly story: Pick<Story, 'fault' | 'schedule'>;
  /** The name of the lock that played it. */
  readonly lock: string;
  /** Whether a resource that compares tokens was what was judged. */
  readonly fenced: boolean;
  readonly outcome: OutcomeId;
}

/** How bad it is, and what the matrix calls it, the worst first. */
const WORSE: readonly { readonly outcome: OutcomeId; readonly claimed: Claimed }[] = [
  { outcome: 'breaks', claimed: 'validity' },
  { outcome: 'late', claimed: 'belief' },
];
const FENCED: typeof WORSE = [{ outcome: 'breaks', claimed: 'resource' }];

/**
 * What the matrix knows of a lock under the fault and this one schedule did not show: that one schedule passes is no
 * promise. Undefined where it knows nothing worse.
 */
export function worseInMatrix({ story, lock, fenced, outcome }: PlayedStory): Scene['remark'] {
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

/** Where its servers have replicas, a lock may have a column of its own. */
function columnOf(lock: string, replicas: number): MatrixColumn | undefined {
  const pairs =
    replicas > 0 ? lockNamed(lock)?.on.find(({ isReplicated }) => isReplicated) : undefined;
  const name = pairs?.id ?? lock;
  return loadMatrix().columns.find((column) => column === name);
}
