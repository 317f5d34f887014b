import { LockError } from '@holdfast/core';
import { nearest, redactText } from '@holdfast/core/backend';
import { parseArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { OWN } from './commands.ts';
import { HARNESS, harnessCommands } from './harness.ts';
import { type Io, printableLines, safeIo } from './io.ts';
import { UsageError } from './usage-error.ts';
import { holdfastVersion } from './version.ts';

const WIDTH = 31;
/** Runs the command line; resolves to the exit code: 0 success, 1 failure, 2 usage error, 3 not found. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  const safe = safeIo(io);
  try {
    return await dispatch(args, safe);
  } catch (error) {
    return report(error, safe);
  }
}

async function dispatch([first, ...rest]: readonly string[], io: Io): Promise<number> {
  const [topic] = rest;
  if (first === 'help' && topic !== undefined) return await dispatch([topic, '--help'], io);
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    io.stdout.write(`${commandList(OWN, await harnessCommands())}\n`);
    return 0;
  }
  if (first === '--version' || first === '-v') {
    io.stdout.write(`${holdfastVersion()}\n`);
    return 0;
  }
  const command = await (commandNamed(OWN, first) ?? (await fromHarness(first))).load();
  // What comes after -- is for a command that is run.
  const own = new Set(rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined));
  if (own.has('--help') || own.has('-h')) {
    io.stdout.write(`${command.help}\n`);
    return 0;
  }
  try {
    return await command.run(parseArguments(rest, command.options), io);
  } catch (error) {
    if (!(error instanceof UsageError) || error.hint !== undefined) throw error;
    throw new UsageError(error.message, `See holdfast ${first} --help.`);
  }
}

/** The output of `holdfast --help`: the commands, and how to install the others. */
function commandList(own: readonly Command[], more: readonly Command[] | undefined): string {
  const lines = [...own, ...(more ?? [])].map(lineOf).join('\n');
  const missing = `To judge locks and see how they break (compare, find, sale and more): npm i -D ${HARNESS}`;
  return `holdfast: distributed locks that never report a guess as a fact

${lines}
${more === undefined ? `\n${missing}\n` : ''}
${row('holdfast COMMAND --help', 'options of a command')}
  holdfast --version

The store is that of --on, or of HOLDFAST_URL or HOLDFAST_CONFIG.`;
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

/** @throws UsageError for an unknown command, or if the harness is not installed */
async function fromHarness(name: string): Promise<Command> {
  const commands = await harnessCommands();
  if (commands === undefined) throw harnessMissing(name);
  const command = commandNamed(commands, name);
  if (command === undefined) throw unknownCommand(name, [...commands, ...OWN]);
  return command;
}

function harnessMissing(name: string): UsageError {
  const own = OWN.map((command) => command.name).join(', ');
  return new UsageError(
    `${kindOf(name)} ${name} needs ${HARNESS}; without it there are only ${own}`,
    `Install it to judge locks and see how they break: npm i -D ${HARNESS}`,
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
  // This command adds no colours here, so all escape codes are foreign.
  io.stderr.write(`holdfast: ${printableLines(redactText(text))}\n`);
  return expected && CALLED_WRONGLY.has(error.code) ? 2 : 1;
}

const CALLED_WRONGLY: ReadonlySet<string> = new Set([
  'CONFIG',
  'CAPABILITY',
  'INVALID_KEY',
  'INVALID_OPTION',
]);
