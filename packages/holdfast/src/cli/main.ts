import { LockError, nearest, redactText } from '@holdfast/core';
import { parseArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { HARNESS, harnessCommands } from './harness.ts';
import { type Io, printableLines, safeIo } from './io.ts';
import { forceReleaseCommand, inspectCommand } from './operator-commands.ts';
import { UsageError } from './usage-error.ts';
import { holdfastVersion } from './version.ts';

const WIDTH = 31;
/** What those who lock need; all else comes with the harness, which is loaded only when it is asked for. */
const OWN: readonly Command[] = [inspectCommand, forceReleaseCommand];

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
    io.stdout.write(`${commandList(OWN, await harnessCommands())}\n`);
    return 0;
  }
  if (first === '--version' || first === '-v') {
    io.stdout.write(`${holdfastVersion()}\n`);
    return 0;
  }
  const command = commandNamed(OWN, first) ?? (await fromHarness(first));
  if (rest.includes('--help') || rest.includes('-h')) {
    io.stdout.write(`${command.help}\n`);
    return 0;
  }
  return await command.run(parseArguments(rest, command.options), io);
}

/** What `holdfast --help` prints: the commands, and where the others are to be had. */
function commandList(own: readonly Command[], more: readonly Command[] | undefined): string {
  const lines = [...(more ?? []), ...own].map(lineOf).join('\n');
  const missing = `compare, find, sale and more, which judge locks and show how they break: npm i -D ${HARNESS}`;
  return `holdfast: distributed locks that say what they know

${lines}
${more === undefined ? `\n${missing}\n` : ''}
${row('holdfast COMMAND --help', 'options of a command')}
  holdfast --version

inspect and force-release ask the server that HOLDFAST_URL or HOLDFAST_CONFIG names.`;
}

function lineOf({ name, operands, summary }: Command): string {
  return row(`holdfast ${name}${operands === undefined ? '' : ` ${operands}`}`, summary);
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(WIDTH)}${right}`;
}

function commandNamed(commands: readonly Command[], name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}

/** @throws UsageError for a name that no command has, or where the harness is not installed */
async function fromHarness(name: string): Promise<Command> {
  const commands = await harnessCommands();
  if (commands === undefined) throw harnessMissing(name);
  const command = commandNamed(commands, name);
  if (command === undefined) throw unknownCommand(name, [...commands, ...OWN]);
  return command;
}

function harnessMissing(name: string): UsageError {
  const own = OWN.map((command) => command.name).join(' and ');
  return new UsageError(
    `without ${HARNESS} there is no ${kindOf(name)} ${name}, only ${own}`,
    `What judges locks and shows them is a package of its own: npm i -D ${HARNESS}`,
  );
}

function unknownCommand(name: string, commands: readonly Command[]): UsageError {
  const names = commands.map((command) => command.name);
  const suggestion = nearest(name, names);
  return new UsageError(
    `unknown ${kindOf(name)} ${name}`,
    suggestion === undefined
      ? `Commands are ${names.join(', ')}.`
      : `Did you mean holdfast ${suggestion}?`,
  );
}

function kindOf(name: string): 'option' | 'command' {
  return name.startsWith('-') ? 'option' : 'command';
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
