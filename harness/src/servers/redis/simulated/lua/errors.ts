import { machine, NO_LINE } from './machine.ts';
import type { LuaValue } from './values.ts';

/** An error raised by a script: any value, and its line. */
export class LuaError extends Error {
  override readonly name = 'LuaError';
  readonly value: LuaValue;
  readonly line: number;

  constructor(value: LuaValue, line: number = machine.line) {
    super(typeof value === 'string' ? value : 'a Lua value was raised');
    this.value = value;
    this.line = line;
    // Raising and catching costs about as much as this many rounds of a loop.
    machine.spend(1000);
  }
}

/** The script does not compile. The message starts with its position. */
export class LuaSyntaxError extends Error {
  override readonly name = 'LuaSyntaxError';
}

/** For nodes that the parser's types rule out. */
export function notLua(node: never): never {
  throw new LuaSyntaxError(`user_script:1: not Lua: ${JSON.stringify(node)}`);
}

/** An error with the script's position, like those of the interpreter and its library. */
export function fault(message: string): LuaError {
  return new LuaError(position() + message);
}

export function position(): string {
  return machine.line === NO_LINE ? '' : `user_script:${machine.line}: `;
}

/** JavaScript's own stack overflow is reported as Lua's. */
export function asLuaError(error: unknown): LuaError {
  if (error instanceof LuaError) return error;
  if (error instanceof RangeError && /call stack/.test(error.message))
    return fault('stack overflow');
  throw error;
}
