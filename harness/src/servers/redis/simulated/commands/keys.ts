import type { CommandContext, Commands } from '../command.ts';
import { matchesGlob } from '../glob.ts';
import { integer } from '../numbers.ts';
import { type InnerReply, NO_SUCH_KEY, OK, RedisError, SYNTAX } from '../reply.ts';
import { typeName } from '../values.ts';

export const KEY_COMMANDS: Commands = {
  del: [-2, 'write', del],
  unlink: [-2, 'write', del],
  exists: [-2, 'read', (args, { keys }) => args.slice(1).filter((key) => keys.has(key)).length],
  type: [2, 'read', type],
  rename: [3, 'write', (args, server) => (rename(args, false, server), OK)],
  renamenx: [3, 'write', (args, server) => (rename(args, true, server) ? 1 : 0)],
  keys: [2, 'read', ([, glob = ''], server) => listed(glob, undefined, server)],
  scan: [-2, 'read', scan],
  dbsize: [1, 'read', (_, { keys }) => keys.size],
  flushall: [-1, 'write', flush],
  flushdb: [-1, 'write', flush],
};

function del(args: readonly string[], { keys }: CommandContext): InnerReply {
  const gone = args.slice(1).filter((key) => keys.has(key) && keys.delete(key));
  if (gone.length > 0) keys.wrote(['DEL', ...gone]);
  return gone.length;
}

function type([, key = '']: readonly string[], { keys }: CommandContext): InnerReply {
  const entry = keys.find(key);
  return { status: entry === undefined ? 'none' : typeName(entry.value) };
}

function rename(args: readonly string[], onlyFree: boolean, { keys }: CommandContext): boolean {
  const [, from = '', to = ''] = args;
  const entry = keys.find(from);
  if (entry === undefined) throw new RedisError(NO_SUCH_KEY);
  if (from === to) return !onlyFree;
  if (onlyFree && keys.has(to)) return false;
  keys.delete(from);
  keys.set(to, entry.value, entry.expiresAtMs);
  keys.wrote(['RENAME', from, to]);
  return true;
}

function listed(glob: string, ofType: string | undefined, { keys }: CommandContext): string[] {
  const found = [...keys.keys()].filter((key) => matchesGlob(glob, key));
  if (ofType === undefined) return found;
  return found.filter((key) => typeName(keys.find(key)?.value ?? '') === ofType);
}

/** Returns everything at once: a server may end any scan after its first reply. */
function scan(args: readonly string[], server: CommandContext): InnerReply {
  if (!/^\d{1,20}$/.test(args[1] ?? '')) throw new RedisError('ERR invalid cursor');
  let glob = '*';
  let ofType: string | undefined;
  for (let at = 2; at < args.length; at += 2) {
    const option = (args[at] ?? '').toUpperCase();
    const text = args[at + 1];
    if (text === undefined) throw new RedisError(SYNTAX);
    if (option === 'MATCH') glob = text;
    else if (option === 'TYPE') ofType = text.toLowerCase();
    else if (option !== 'COUNT' || integer(text) < 1) throw new RedisError(SYNTAX);
  }
  return ['0', listed(glob, ofType, server)];
}

function flush(args: readonly string[], { keys }: CommandContext): InnerReply {
  const mode = args[1]?.toUpperCase();
  if (args.length > 2 || (mode !== undefined && mode !== 'SYNC' && mode !== 'ASYNC'))
    throw new RedisError(SYNTAX);
  keys.clear();
  keys.wrote(['FLUSHALL']);
  return OK;
}
