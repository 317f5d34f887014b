import type { Inspection } from '@holdfast/core';
import type { CommandBody } from '../command.ts';
import { SOURCE_HELP, SOURCE_OPTIONS } from '../source-argument.ts';
import { type Columns, headingOf, holdCells, rowOf, UNKNOWN } from './hold-text.ts';
import { inspectAll } from './inspect-all.ts';
import { jsonOf } from './json-line.ts';
import { withStore } from './open-store.ts';
import { prefixOf } from './operands.ts';

const HELP: string = `holdfast locks [PREFIX] [--json] [--on X] [--store NAME]

Lists the keys that are held, those that begin with PREFIX, as the store finds them. It
searches the store in small steps (Redis: SCAN on each master), so that others are served
meanwhile. Keys that come or go during the search may be missing.

  --json          a line of JSON for each key
${SOURCE_HELP}`;

const COLUMNS: Columns = [
  ['KEY', 32],
  ['REMAINING', 10],
  ['TOKEN', 17],
  ['WAITERS', 7],
  ['HOLDER', 0],
];

export const LOCKS: CommandBody = {
  options: { ...SOURCE_OPTIONS, json: 'flag' },
  help: HELP,
  run: (args, io) => {
    const prefix = prefixOf(args);
    const line = args.flags.has('json') ? jsonOf : rowFor;
    return withStore(args, io, async ({ locks, keys }) => {
      if (!args.flags.has('json')) io.stdout.write(headingOf(COLUMNS));
      for await (const page of keys())
        for await (const each of inspectAll(
          locks,
          page.filter((key) => key.startsWith(prefix)),
        ))
          if (each.held) io.stdout.write(line(each));
      return 0;
    });
  },
};

function rowFor(held: Inspection): string {
  return rowOf(COLUMNS, [held.key, ...holdCells(held), held.holder ?? UNKNOWN]);
}
