import type { Arguments, OptionKinds } from './arguments.ts';
import type { Io } from './io.ts';

/** One command: its name, its options, its help, and what it does. */
export interface Command {
  readonly name: string;
  /** What follows the name on a command line, for the list of commands: `KEY`. */
  readonly operands?: string;
  /** One line of that list. */
  readonly summary: string;
  readonly options: OptionKinds;
  readonly help: string;
  /** Returns the exit code. */
  run(args: Arguments, io: Io): Promise<number>;
}
