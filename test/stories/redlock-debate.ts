import { headlineOf, OUTCOMES, type OutcomeId } from '@holdfast/harness/draw';
import { parseStoryText, play } from '@holdfast/harness/simulator';
import { sceneOf } from '../../harness/test/kit/find.ts';
import { builtInSubject } from '../../harness/test/kit/locks.ts';
import { textOf } from './matrix-stories.ts';

/** Claims of the debate about Redlock, their authors, and the stories that test them. */
interface Claimed {
  readonly claim: string;
  readonly by: string;
  /** In one line, what comes of it. */
  readonly verdict: string;
  /** Names of stories, each with what it has to come to. */
  readonly stories: Readonly<Record<string, OutcomeId>>;
}

/** Every claim of the debate. */
export const DEBATE: readonly Claimed[] = [
  {
    claim: 'A holder that stalls writes late, whatever it has checked',
    by: 'Kleppmann',
    verdict: 'True of every lock that ends by time; a fence refuses it',
    stories: {
      'simple-pause': 'late',
      'redlock-pause': 'late',
      'zk-pause': 'late',
      'getset-pause': 'breaks',
      'simple-pause-fenced': 'late',
    },
  },
  {
    claim: 'A packet that takes long does the same',
    by: 'Kleppmann',
    verdict: 'True',
    stories: { 'simple-late-write': 'late', 'redlock-late-write': 'late', 'zk-late-write': 'late' },
  },
  {
    claim: 'One forward jump of one clock breaks Redlock',
    by: 'Kleppmann',
    verdict: 'True where it holds by a bare majority. (antirez: do not set clocks)',
    stories: { 'redlock-one-clock': 'breaks' },
  },
  {
    claim: 'One restart without data breaks it',
    by: 'Kleppmann, and Redis’ own page',
    verdict: 'True, and soon enough is enough',
    stories: { 'redlock-one-restart': 'breaks', 'redlock-restart-early': 'breaks' },
  },
  {
    claim: '… a restart with its data, or after the longest lease, does not',
    by: 'Redis’ own page',
    verdict: 'True',
    stories: { 'redlock-one-restart-durable': 'holds', 'redlock-restart-delayed': 'holds' },
  },
  {
    claim: 'A pause while it acquires breaks Redlock',
    by: 'Kleppmann',
    verdict: 'Not as it is written: it looks at the clock again. Without that, yes',
    stories: { 'redlock-pause-before-check': 'holds', 'redlock-one-look-pause': 'breaks' },
  },
  {
    claim: 'Clocks have to run at about the same speed, and no more',
    by: 'antirez',
    verdict: 'True of the lock within its margin; a late holder is late all the same',
    stories: {
      'redlock-drift-within': 'holds',
      'redlock-drift': 'breaks',
      'redlock-pause': 'late',
    },
  },
  {
    claim: 'Redlock cannot hand out fencing tokens',
    by: 'Kleppmann',
    verdict: 'True of the obvious way: counted on every server, they go backwards',
    stories: { 'redlock-counters-backwards': 'breaks' },
  },
  {
    claim: 'A random token that the resource swaps in is as good as one that grows',
    by: 'antirez',
    verdict: 'Writes take turns: yes. The newest holder wins: no, the last to claim does',
    stories: { 'claimed-pause': 'late', 'claimed-late': 'late' },
  },
  {
    claim: 'If the resource can fence, you hardly need the lock',
    by: 'antirez',
    verdict: 'True for safety; the lock saves the work of those who would be refused',
    stories: { 'fence-alone-refused': 'breaks', 'simple-at-once': 'holds' },
  },
  {
    claim: 'In ZooKeeper no two ever think that they hold the lock',
    by: 'ZooKeeper’s own page',
    verdict: 'Not true of a paused process',
    stories: { 'zk-pause': 'late' },
  },
];

/** Plays a story and returns its result. */
export async function outcomeOf(name: string): Promise<OutcomeId> {
  const story = parseStoryText(textOf(name));
  const subject = builtInSubject(story.backend);
  if (subject === undefined) throw new Error(`unknown lock "${story.backend}"`);
  const played = await play(story.schedule, subject, { trace: true });
  return headlineOf(sceneOf(played, story)).outcome;
}

/** The claims as a table, with what their stories come to. */
export async function debateTable(): Promise<string> {
  const rows: string[][] = [];
  for (const { claim, by, verdict, stories } of DEBATE) {
    const played: string[] = [];
    for (const name of Object.keys(stories))
      played.push(`${OUTCOMES[await outcomeOf(name)].glyph} \`${name}\``);
    rows.push([claim, by, verdict, played.join('<br>')]);
  }
  const head = ['claim', 'by', 'what is true of it', 'play it'];
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
