import type { Locks } from '@holdfast/core';
import { resolveSource } from '../config/source.ts';
import { openResolved } from '../open-locks.ts';
import type { Arguments } from './arguments.ts';
import type { Command, CommandBody } from './command.ts';
import type { Io } from './io.ts';
import { sourceFromEnv } from './source-argument.ts';
import { UsageError } from './usage-error.ts';

const INSPECT_HELP: string = `holdfast inspect KEY [--on X] [--store NAME]

Prints the holder of KEY, the rest of its lease, its fencing token and the fencing
epoch of the store, as JSON.

  --on X          a URL or a configuration file; default: HOLDFAST_URL or HOLDFAST_CONFIG
  --store NAME    which of the stores in that file`;

const FORCE_RELEASE_HELP: string = `holdfast force-release KEY [--on X] [--store NAME]

Removes the hold on KEY, whichever client has it. The old holder learns of it at its
next renewal: until then two clients may believe that they hold KEY.

  --on X          a URL or a configuration file; default: HOLDFAST_URL or HOLDFAST_CONFIG
  --store NAME    which of the stores in that file`;

/** The action of a command on one key; resolves to the exit code. */
type Act = (locks: Locks, key: string, io: Io) => Promise<number>;

export const inspectCommand: Command = {
  name: 'inspect',
  operands: 'KEY',
  summary: 'show who holds a key, and for how long',
  load: () => bodyOf(INSPECT_HELP, inspect),
};

export const forceReleaseCommand: Command = {
  name: 'force-release',
  operands: 'KEY',
  summary: 'remove the hold on a key',
  load: () => bodyOf(FORCE_RELEASE_HELP, forceRelease),
};

function bodyOf(help: string, act: Act): Promise<CommandBody> {
  return Promise.resolve({
    options: { on: 'value', store: 'value' },
    help,
    run: (args, io) => withKey(args, io, act),
  });
}

async function withKey({ operands, values }: Arguments, io: Io, act: Act): Promise<number> {
  const [key, ...more] = operands;
  if (key === undefined || more.length > 0) throw new UsageError('name one key');
  const source = values.get('on') ?? sourceFromEnv(io.env);
  const config = await resolveSource(source, { store: values.get('store') });
  const locks = await openResolved(config, { epoch: 'show' });
  try {
    return await act(locks, key, io);
  } finally {
    await locks.close();
  }
}

const inspect: Act = async (locks, key, io) => {
  const inspection = await locks.inspect(key);
  const { fencingToken, ...rest } = inspection;
  // JSON has no bigint, and a number would lose digits.
  const token = fencingToken === undefined ? {} : { fencingToken: `${fencingToken}` };
  io.stdout.write(`${JSON.stringify({ ...rest, ...token }, null, 2)}\n`);
  return 0;
};

const forceRelease: Act = async (locks, key, io) => {
  const { kind } = await locks.forceRelease(key);
  const texts = {
    released: `${key} is free; its old holder learns of it at its next renewal.`,
    'not-held': `${key} was not held.`,
    unknown: `no reply came: ${key} may or may not be free. Try holdfast inspect ${key}.`,
  };
  io.stdout.write(`${texts[kind]}\n`);
  return kind === 'unknown' ? 1 : 0;
};
