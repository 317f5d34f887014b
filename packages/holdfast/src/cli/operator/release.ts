import type { Inspection, Locks } from '@holdfast/core';
import type { CommandBody } from '../command.ts';
import type { Io } from '../io.ts';
import { SOURCE_HELP, SOURCE_OPTIONS } from '../source-argument.ts';
import { UsageError } from '../usage-error.ts';
import { seconds } from './hold-text.ts';
import { withStore } from './open-store.ts';
import { oneKey } from './operands.ts';

const HELP: string = `holdfast release KEY [--yes] [--on X] [--store NAME]

Takes KEY away from its holder, so that the next client can acquire it at once.
The old holder learns of it at its next renewal, a third of its ttl later at most: until
then both believe that they hold KEY. Only a fencing token keeps late writes out.

  --yes           do not ask
${SOURCE_HELP}

Exit status 0: it is free; 1: not released, or no reply came.`;

export const RELEASE: CommandBody = {
  options: { ...SOURCE_OPTIONS, yes: 'flag' },
  help: HELP,
  run: (args, io) => {
    const key = oneKey(args);
    const asks = !args.flags.has('yes');
    if (asks && io.stdin?.isTTY !== true)
      throw new UsageError('release asks first, and standard input is no terminal', 'Add --yes.');
    return withStore(args, io, async ({ locks }) => await release(locks, key, asks, io));
  },
};

async function release(locks: Locks, key: string, asks: boolean, io: Io): Promise<number> {
  const before = await locks.inspect(key);
  if (!before.held) {
    io.stdout.write(`${key} was not held.\n`);
    return 0;
  }
  io.stdout.write(whatHappens(before));
  if (asks && !(await isConfirmed(io))) {
    io.stdout.write('Nothing was released.\n');
    return 1;
  }
  const { kind } = await locks.forceRelease(key);
  const texts = {
    released: `${key} is free.`,
    'not-held': `${key} was not held any more.`,
    unknown: `No reply came: ${key} may or may not be free. Try holdfast inspect ${key}.`,
  };
  io.stdout.write(`${texts[kind]}\n`);
  return kind === 'unknown' ? 1 : 0;
}

/** The ttl of the holder is not stored, so what is left of its lease is the bound. */
function whatHappens({
  key,
  holder = 'an unknown holder',
  remainingMs,
  fencingToken,
}: Inspection): string {
  const bound = remainingMs === undefined ? '' : `, in ${seconds(remainingMs)} at the latest`;
  const token =
    fencingToken === undefined
      ? 'This store has no fencing tokens: nothing rejects its late writes.'
      : `A resource that checks fencing tokens rejects its writes (token ${fencingToken}) once the next holder has written.`;
  return `${key} is held by ${holder}.
It learns of the release at its next renewal${bound}. Until then it believes that it holds ${key}.
${token}
`;
}

async function isConfirmed(io: Io): Promise<boolean> {
  io.stdout.write('Release it? [y/N] ');
  const answer = (await io.stdin?.line()) ?? '';
  return /^y(?:es)?$/i.test(answer.trim());
}
