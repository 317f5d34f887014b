import type { Arguments, OptionKinds } from './arguments.ts';
import type { Io } from './io.ts';

/** One command: its name, its options, its help, and its code. */
export interface Command {
  readonly name: string;
  /** The operands after the name, for the list of commands: `KEY`. */
  readonly operands?: string;
  /** One line of that list. */
  readonly summary: string;
  readonly options: OptionKinds;
  readonly help: string;
  /** Returns the exit code. */
  run(args: Arguments, io: Io): Promise<number>;
}
