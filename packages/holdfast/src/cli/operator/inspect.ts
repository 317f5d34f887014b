import type { CommandBody } from '../command.ts';
import { SOURCE_HELP, SOURCE_OPTIONS } from '../source-argument.ts';
import { withStore } from './open-store.ts';
import { oneKey } from './operands.ts';

const HELP: string = `holdfast inspect KEY [--on X] [--store NAME]

Prints the holder of KEY, the rest of its lease, its fencing token and the fencing
epoch of the store, as JSON.

${SOURCE_HELP}`;

export const INSPECT: CommandBody = {
  options: SOURCE_OPTIONS,
  help: HELP,
  run: (args, io) => {
    const key = oneKey(args);
    return withStore(args, io, async ({ locks }) => {
      const { fencingToken, ...rest } = await locks.inspect(key);
      // JSON has no bigint, and a number would lose digits.
      const token = fencingToken === undefined ? {} : { fencingToken: `${fencingToken}` };
      io.stdout.write(`${JSON.stringify({ ...rest, ...token }, null, 2)}\n`);
      return 0;
    });
  },
};
