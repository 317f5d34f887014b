import { type Arguments, type Command, type Io, printable, UsageError } from 'holdfast/internal';
import { inkFor } from '../compare/paint.ts';
import { drawMultiples, drawSvg, drawText } from '../draw/index.ts';
import { formatHangStory } from '../find/format-finding.ts';
import { replayJson } from '../find/json.ts';
import {
  compareLocks,
  formatLockComparison,
  type LockComparison,
} from '../find/lock-comparison.ts';
import { openRunners } from '../find/open-runners.ts';
import { readStory, type StorySource } from '../find/read-story.ts';
import { type ReplayResult, replay } from '../find/replay.ts';
import { ScheduleError } from '../simulator/index.ts';
import { admitLock } from './admit-lock.ts';
import { REPLAY_HELP } from './help.ts';
import { fileFor, writeText } from './output-files.ts';

export const replayCommand: Command = {
  name: 'replay',
  operands: 'STORY',
  summary: 'replay a story that find wrote, and draw it',
  options: { svg: 'value', on: 'value', json: 'flag', trust: 'flag' },
  help: REPLAY_HELP,
  run: runReplay,
};

async function runReplay({ flags, values, operands }: Arguments, io: Io): Promise<number> {
  const source = sourceFrom(operands);
  const onAll = isOnAll(values.get('on'));
  if (onAll && source.story.schedule.choices !== undefined)
    throw new UsageError(
      'this story is an order of the steps of one lock; others take other steps',
      'Leave out --on all.',
    );
  const said = values.get('svg');
  const svg = said === undefined ? undefined : fileFor(said, 'story.svg', '--svg');
  admitLock(source.story.backend, { by: 'this story', isTrusted: flags.has('trust') }, io);
  const replayed = await played(source);
  const answers = onAll ? await compareLocks(source.story, replayed.played) : undefined;
  if (svg !== undefined) writeText(svg, drawn(replayed, answers), '--svg');
  io.stdout.write(
    `${flags.has('json') ? JSON.stringify(replayJson(replayed, answers), null, 2) : text(replayed, answers, io)}\n`,
  );
  return replayed.differences.length === 0 ? 0 : 1;
}

function sourceFrom(operands: readonly string[]): StorySource {
  const [where, ...more] = operands;
  if (where === undefined || more.length > 0)
    throw new UsageError(
      'name one story',
      'A file that find wrote, a string that begins with r1., or the name of a story.',
    );
  try {
    return readStory(where);
  } catch (error) {
    if (error instanceof ScheduleError) throw new UsageError(printable(error.message));
    throw error;
  }
}

function isOnAll(on: string | undefined): boolean {
  if (on === undefined || on === 'all') return on === 'all';
  throw new UsageError(`--on ${on} is nothing known`, 'It is all.');
}

async function played({ story }: StorySource): Promise<ReplayResult> {
  const [trial] = await openRunners(story.backend, process.cwd(), 1);
  if (trial === undefined) throw new Error(`nothing tries ${story.backend}`);
  try {
    return await replay(story, trial);
  } finally {
    await trial.close();
  }
}

function drawn({ scene }: ReplayResult, answers: LockComparison | undefined): string {
  if (answers !== undefined) return drawMultiples(answers.title, answers.scenes);
  if (scene !== undefined) return drawSvg(scene);
  throw new UsageError(
    'the lock of this story hangs, and what never comes to an end cannot be drawn',
    'Leave out --svg.',
  );
}

function text(replayed: ReplayResult, answers: LockComparison | undefined, io: Io): string {
  const ink = inkFor(io.stdout, io.env);
  const { differences, hash, scene } = replayed;
  const same =
    scene === undefined
      ? 'Replayed: it hangs again, and was ended.'
      : `Replayed: the same verdict, the same trace (${hash}).`;
  const own =
    scene === undefined ? formatHangStory(replayed.story, ink) : [drawText(scene, { ink })];
  const story = answers === undefined ? own : formatLockComparison(answers, ink);
  return [
    ...story,
    '',
    ...(differences.length === 0
      ? [same]
      : ['Replayed, but not the same:', ...differences.map((each) => `  ${each}`)]),
  ].join('\n');
}
