import type { Arguments, OptionKinds } from './arguments.ts';
import type { Io } from './io.ts';

/** One line of the list of commands. */
export interface Command {
  readonly name: string;
  /** The operands after the name: `KEY`. */
  readonly operands?: string;
  readonly summary: string;
  /** Loads the rest, which takes longer than to print the list; only for the command that is called. */
  load(): Promise<CommandBody>;
}

/** The options, the help and the code of a command. */
export interface CommandBody {
  readonly options: OptionKinds;
  readonly help: string;
  /** Returns the exit code. */
  run(args: Arguments, io: Io): Promise<number>;
}
