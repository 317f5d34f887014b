import {
  type Arguments,
  type CommandBody,
  type Io,
  printable,
  printableLines,
  UsageError,
} from 'holdfast/internal';
import { inkFor } from '../compare/paint.ts';
import { drawMultiples, drawSvg, drawText } from '../draw/index.ts';
import { formatHangStory } from '../find/format-finding.ts';
import { replayJson } from '../find/json.ts';
import {
  compareLocks,
  formatLockComparison,
  type LockComparison,
} from '../find/lock-comparison.ts';
import { openCodeRunner, openRunners } from '../find/open-runners.ts';
import { readStory, type StorySource } from '../find/read-story.ts';
import { type ReplayResult, replay } from '../find/replay.ts';
import { ScheduleError, type StoryCode } from '../simulator/index.ts';
import { admitLock } from './admit-lock.ts';
import { REPLAY_HELP } from './help.ts';
import { fileFor, writeText } from './output-files.ts';

export const replayCommand: CommandBody = {
  options: { svg: 'value', on: 'value', json: 'flag', trust: 'flag', 'run-code': 'flag' },
  help: REPLAY_HELP,
  run: runReplay,
};

async function runReplay({ flags, values, operands }: Arguments, io: Io): Promise<number> {
  const source = sourceFrom(operands);
  const onAll = isOnAll(values.get('on'));
  if (onAll && source.story.schedule.choices !== undefined)
    throw new UsageError(
      'this story is an order of the steps of one lock; other locks have other steps',
      'Leave out --on all.',
    );
  const said = values.get('svg');
  const svg = said === undefined ? undefined : fileFor(said, 'story.svg', '--svg');
  if (source.story.code === undefined)
    admitLock(source.story.backend, { by: 'this story', isTrusted: flags.has('trust') }, io);
  else admitCode(source.story.code, flags.has('run-code'));
  const result = await played(source);
  const comparison = onAll ? await compareLocks(source.story, result.played) : undefined;
  if (svg !== undefined) writeText(svg, drawn(result, comparison), '--svg');
  io.stdout.write(
    `${flags.has('json') ? JSON.stringify(replayJson(result, comparison), null, 2) : text(result, comparison, io)}\n`,
  );
  return result.differences.length === 0 ? 0 : 1;
}

function sourceFrom(operands: readonly string[]): StorySource {
  const [where, ...more] = operands;
  if (where === undefined || more.length > 0)
    throw new UsageError(
      'name one story',
      'Use a file that find wrote, a string that begins with r1., or the name of a story.',
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
  throw new UsageError(`unknown --on "${on}"`, 'Use --on all.');
}

/** @throws UsageError that shows the code, unless the user has agreed to run it */
function admitCode({ files }: StoryCode, isAdmitted: boolean): void {
  if (isAdmitted) return;
  const shown = Object.entries(files).map(([path, lines]) => `${path}:\n${printableLines(lines)}`);
  throw new UsageError(
    `this story carries code, which would run with all your rights.\n\n${shown.join('\n\n')}\n`,
    'Read it first; if you trust it, add --run-code.',
  );
}

async function played({ story }: StorySource): Promise<ReplayResult> {
  const [runner] =
    story.code === undefined
      ? await openRunners(story.backend, process.cwd(), 1)
      : [await openCodeRunner(story.backend, story.code)];
  if (runner === undefined) throw new Error(`no runner opens ${story.backend}`);
  try {
    return await replay(story, runner);
  } finally {
    await runner.close();
  }
}

function drawn({ scene }: ReplayResult, comparison: LockComparison | undefined): string {
  if (comparison !== undefined) return drawMultiples(comparison.title, comparison.scenes);
  if (scene !== undefined) return drawSvg(scene);
  throw new UsageError(
    'the lock of this story hangs, so there is no end to draw',
    'Leave out --svg.',
  );
}

function text(result: ReplayResult, comparison: LockComparison | undefined, io: Io): string {
  const ink = inkFor(io.stdout, io.env);
  const { differences, hash, scene } = result;
  const same =
    scene === undefined
      ? 'Replayed: it hangs again, and was stopped.'
      : `Replayed: the same verdict, the same trace (${hash}).`;
  const own = scene === undefined ? formatHangStory(result.story, ink) : [drawText(scene, { ink })];
  const story = comparison === undefined ? own : formatLockComparison(comparison, ink);
  return [
    ...story,
    '',
    ...(differences.length === 0
      ? [same]
      : ['Replayed, but different:', ...differences.map((each) => `  ${each}`)]),
  ].join('\n');
}
