import type { NodeHealth } from '@holdfast/core';
import type { CommandBody } from '../command.ts';
import { SOURCE_HELP, SOURCE_OPTIONS } from '../source-argument.ts';
import { UsageError } from '../usage-error.ts';
import { withStore } from './open-store.ts';

const HELP: string = `holdfast health [--json] [--on X] [--store NAME]

Asks every server whether it serves, for at most 2 s. Exit status 0: enough of them serve
to lock; 1: they do not; 2: the configuration is wrong, or the server refuses it.

  --json          one object, for programs
${SOURCE_HELP}`;

export const HEALTH: CommandBody = {
  options: { ...SOURCE_OPTIONS, json: 'flag' },
  help: HELP,
  run: (args, io) => {
    if (args.operands.length > 0) throw new UsageError(`unexpected argument "${args.operands[0]}"`);
    return withStore(args, io, async ({ locks }) => {
      const health = await locks.health();
      const lines = health.nodes.map(lineOf).join('');
      io.stdout.write(args.flags.has('json') ? `${JSON.stringify(health)}\n` : lines);
      return health.ok ? 0 : 1;
    });
  },
};

function lineOf({ node, ok, roundTripMs, detail }: NodeHealth): string {
  const time = roundTripMs === undefined ? '' : `  ${roundTripMs.toFixed(1)} ms`;
  return `${ok ? 'ok    ' : 'DOWN  '}${node}${time}${detail === undefined ? '' : `  ${detail}`}\n`;
}
