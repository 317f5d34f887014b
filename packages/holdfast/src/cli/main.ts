import { LockError, nearest } from '@holdfast/core';
import { compareCommand } from '../../../../harness/src/cli/compare-command.ts';
import { findCommand } from '../../../../harness/src/cli/find-command.ts';
import { gapCommand } from '../../../../harness/src/cli/gap-command.ts';
import { mergeCommand } from '../../../../harness/src/cli/merge-command.ts';
import { replayCommand } from '../../../../harness/src/cli/replay-command.ts';
import { saleCommand } from '../../../../harness/src/cli/sale-command.ts';
import { redactText } from '../config/redact.ts';
import { printableLines } from '../foreign/printable.ts';
import { type Arguments, type OptionKinds, parseArguments } from './arguments.ts';
import { HELP } from './help.ts';
import type { Io } from './io.ts';
import { forceReleaseCommand, inspectCommand } from './operator-commands.ts';
import { safeIo } from './safe-io.ts';
import { UsageError } from './usage-error.ts';
import { holdfastVersion } from './version.ts';

/** One command: its options, its help, and what it does; it returns the exit code. */
export interface Command {
  readonly options: OptionKinds;
  readonly help: string;
  run(args: Arguments, io: Io): Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  compare: compareCommand,
  find: findCommand,
  gap: gapCommand,
  merge: mergeCommand,
  replay: replayCommand,
  sale: saleCommand,
  inspect: inspectCommand,
  'force-release': forceReleaseCommand,
};

/** Runs the command line; resolves to the exit code: 0 well, 1 not as it should be, 2 wrongly called, 3 not found. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  const safe = safeIo(io);
  try {
    return await dispatch(args, safe);
  } catch (error) {
    return report(error, safe);
  }
}

async function dispatch([first, ...rest]: readonly string[], io: Io): Promise<number> {
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    io.stdout.write(`${HELP}\n`);
    return 0;
  }
  if (first === '--version' || first === '-v') {
    io.stdout.write(`${holdfastVersion()}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (command === undefined) throw unknownCommand(first);
  if (rest.includes('--help') || rest.includes('-h')) {
    io.stdout.write(`${command.help}\n`);
    return 0;
  }
  return await command.run(parseArguments(rest, command.options), io);
}

function unknownCommand(name: string): UsageError {
  const names = Object.keys(COMMANDS);
  const meant = nearest(name, names);
  const what = name.startsWith('-') ? 'option' : 'command';
  return new UsageError(
    `there is no ${what} ${name}`,
    meant === undefined ? `Commands are ${names.join(', ')}.` : `Did you mean holdfast ${meant}?`,
  );
}

function report(error: unknown, io: Io): number {
  if (error instanceof UsageError) {
    io.stderr.write(`holdfast: ${error.message}\n${error.hint ?? 'See holdfast --help.'}\n`);
    return 2;
  }
  const expected = error instanceof LockError;
  const text =
    error instanceof Error
      ? expected
        ? error.message
        : (error.stack ?? error.message)
      : String(error);
  // No colours of ours are in it, so none of anybody else's either.
  io.stderr.write(`holdfast: ${printableLines(redactText(text))}\n`);
  return expected && error.code === 'CONFIG' ? 2 : 1;
}
