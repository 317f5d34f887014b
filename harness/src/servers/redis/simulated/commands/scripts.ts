import type { CommandContext, Commands } from '../command.ts';
import { integer } from '../numbers.ts';
import { type InnerReply, OK, RedisError } from '../reply.ts';

export const SCRIPT_COMMANDS: Commands = {
  eval: [-3, 'outside', (args, server) => run(args, loaded, false, server)],
  eval_ro: [-3, 'outside', (args, server) => run(args, loaded, true, server)],
  evalsha: [-3, 'outside', (args, server) => run(args, known, false, server)],
  evalsha_ro: [-3, 'outside', (args, server) => run(args, known, true, server)],
  script: [-2, 'outside', script],
};

function loaded(source: string, { scripts }: CommandContext): string {
  return scripts.load(source);
}

/**
 * Undefined if this server has not seen the script. No server of a new world has, so this is too common to be thrown.
 */
function known(text: string, { scripts }: CommandContext): string | undefined {
  // Clients nearly always send the digest as it is stored.
  if (scripts.has(text)) return text;
  const sha1 = text.toLowerCase();
  return scripts.has(sha1) ? sha1 : undefined;
}

const UNKNOWN: InnerReply = { error: 'NOSCRIPT No matching script. Please use EVAL.' };

function run(
  args: readonly string[],
  find: (text: string, server: CommandContext) => string | undefined,
  readOnly: boolean,
  server: CommandContext,
): InnerReply {
  const count = integer(args[2]);
  if (count > args.length - 3)
    throw new RedisError("ERR Number of keys can't be greater than number of args");
  if (count < 0) throw new RedisError("ERR Number of keys can't be negative");
  const sha1 = find(args[1] ?? '', server);
  if (sha1 === undefined) return UNKNOWN;
  return server.runScript(sha1, args.slice(3, 3 + count), args.slice(3 + count), readOnly);
}

function script(args: readonly string[], { scripts }: CommandContext): InnerReply {
  const [, word = '', ...rest] = args;
  switch (word.toLowerCase()) {
    case 'load':
      requireCount('load', rest.length === 1);
      return scripts.load(rest[0] ?? '');
    case 'exists':
      requireCount('exists', rest.length > 0);
      return rest.map((sha1) => (scripts.has(sha1.toLowerCase()) ? 1 : 0));
    case 'flush':
      return flush(rest, () => scripts.clear());
    default:
      throw new RedisError(`ERR unknown subcommand '${word}'. Try SCRIPT HELP.`);
  }
}

function requireCount(word: string, right: boolean): void {
  if (!right) throw new RedisError(`ERR wrong number of arguments for 'script|${word}' command`);
}

function flush(rest: readonly string[], clear: () => void): InnerReply {
  const mode = rest[0]?.toLowerCase() ?? 'sync';
  if (rest.length > 1 || (mode !== 'sync' && mode !== 'async'))
    throw new RedisError('ERR SCRIPT FLUSH only support SYNC|ASYNC option');
  clear();
  return OK;
}
