import { digest } from './bytes.ts';
import { type CommandContext, fits, type ScriptCache } from './command.ts';
import { commandNamed } from './commands/index.ts';
import { type CompiledScript, compile } from './lua/compile.ts';
import { textOf } from './lua/conversions.ts';
import { asLuaError, type LuaError, LuaSyntaxError } from './lua/errors.ts';
import { machine, Random48 } from './lua/machine.ts';
import { luaToReply } from './lua/replies.ts';
import { LuaTable } from './lua/table.ts';
import { first, type LuaValue } from './lua/values.ts';
import { type InnerReply, READ_ONLY, RedisError, SimUnsupportedError } from './reply.ts';

interface LoadedScript {
  readonly sha1: string;
  readonly run: CompiledScript;
}

/** The scripts that one server has seen. */
export class Scripts implements ScriptCache {
  readonly #bySha1 = new Map<string, LoadedScript>();
  readonly #bySource = new Map<string, LoadedScript>();

  readonly #random = new Random48();

  load(source: string): string {
    const script = this.#bySource.get(source) ?? loaded(source);
    this.#bySha1.set(script.sha1, script);
    this.#bySource.set(source, script);
    return script.sha1;
  }

  has(sha1: string): boolean {
    return this.#bySha1.has(sha1);
  }

  clear(): void {
    this.#bySha1.clear();
    this.#bySource.clear();
  }

  run(sha1: string, call: ScriptCall): InnerReply {
    const script = this.#bySha1.get(sha1);
    if (script === undefined) throw new RedisError('NOSCRIPT No matching script. Please use EVAL.');
    const host = {
      call: (args: readonly string[]) => callFromScript(args, call),
      random: this.#random,
    };
    return machine.run(host, () => {
      try {
        return luaToReply(first(script.run(new LuaTable(call.keys), new LuaTable(call.args))));
      } catch (error) {
        return failure(asLuaError(error), sha1);
      }
    });
  }
}

export interface ScriptCall {
  /** Both arrays become tables of the script, which may change them. */
  readonly keys: string[];
  readonly args: string[];
  /** As EVAL_RO: commands that write are refused. */
  readonly readOnly: boolean;
  readonly server: CommandContext;
}

/** The error that a script raised, with its line, in the words of Redis 7.0. */
function failure({ value, line }: LuaError, sha1: string): InnerReply {
  return { error: `${messageOf(value)} script: ${sha1}, on @user_script:${line}.` };
}

function messageOf(value: LuaValue): string {
  if (!(value instanceof LuaTable)) return `ERR ${textOf(value)}`;
  const message = value.get('err');
  // A real server of this version crashes here: it assumes a message.
  if (typeof message !== 'string') throw new SimUnsupportedError('error table without a message');
  return message;
}

function callFromScript(args: readonly string[], { readOnly, server }: ScriptCall): InnerReply {
  const command = commandNamed(args[0] ?? '');
  if (command === undefined) return UNKNOWN;
  if (!fits(command, args)) return WRONG_COUNT;
  if (command.access === 'outside') return NOT_ALLOWED;
  if (command.access === 'write') {
    if (readOnly) return NO_WRITES;
    if (server.keys.access === 'replica') return { error: READ_ONLY };
  }
  try {
    return command.run(args, server);
  } catch (error) {
    if (error instanceof RedisError) return { error: error.message };
    throw error;
  }
}

const UNKNOWN: InnerReply = { error: 'ERR Unknown Redis command called from script' };
const WRONG_COUNT: InnerReply = {
  error: 'ERR Wrong number of args calling Redis command from script',
};
const NOT_ALLOWED: InnerReply = { error: 'ERR This Redis command is not allowed from script' };
const NO_WRITES: InnerReply = {
  error: 'ERR Write commands are not allowed from read-only scripts.',
};

/** By source, for all servers of the process. */
const everLoaded = new Map<string, LoadedScript>();

function loaded(source: string): LoadedScript {
  let script = everLoaded.get(source);
  if (script === undefined) {
    script = { sha1: digest(source), run: compiled(source) };
    everLoaded.set(source, script);
  }
  return script;
}

function compiled(source: string): CompiledScript {
  try {
    return compile(source);
  } catch (error) {
    if (!(error instanceof LuaSyntaxError)) throw error;
    throw new RedisError(`ERR Error compiling script (new function): ${error.message}`);
  }
}
