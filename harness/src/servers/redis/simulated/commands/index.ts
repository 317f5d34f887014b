import type { Commands, RedisCommand } from '../command.ts';
import { SimUnsupportedError } from '../reply.ts';
import { EXPIRY_COMMANDS } from './expiry.ts';
import { HASH_COMMANDS } from './hashes.ts';
import { KEY_COMMANDS } from './keys.ts';
import { LIST_COMMANDS } from './lists.ts';
import { SCRIPT_COMMANDS } from './scripts.ts';
import { SERVER_COMMANDS } from './server.ts';
import { SET_COMMANDS } from './set.ts';
import { SET_TYPE_COMMANDS } from './sets.ts';
import { SORTED_SET_COMMANDS } from './sorted-sets.ts';
import { STRING_COMMANDS } from './strings.ts';

const table = new Map<string, RedisCommand>();

for (const commands of [
  SET_COMMANDS,
  STRING_COMMANDS,
  EXPIRY_COMMANDS,
  KEY_COMMANDS,
  HASH_COMMANDS,
  LIST_COMMANDS,
  SET_TYPE_COMMANDS,
  SORTED_SET_COMMANDS,
  SERVER_COMMANDS,
  SCRIPT_COMMANDS,
])
  register(commands);

function register(commands: Commands): void {
  for (const [name, [arity, access, run]] of Object.entries(commands)) {
    const command: RedisCommand = { name, arity, access, run };
    table.set(name, command).set(name.toUpperCase(), command);
  }
}

/**
 * Returns the command of this name, in any case of letters; undefined if Redis has none.
 * @throws SimUnsupportedError if Redis has the command and the simulator does not
 */
export function commandNamed(name: string): RedisCommand | undefined {
  return table.get(name) ?? find(name.toLowerCase());
}

function find(name: string): RedisCommand | undefined {
  if (MISSING_COMMANDS.has(name)) throw new SimUnsupportedError(`command ${name.toUpperCase()}`);
  return table.get(name);
}

/** Commands of Redis 7.0 that the simulator does not have. */
const NAMES = `
  acl asking auth bgrewriteaof bgsave bitcount bitfield bitfield_ro bitop bitpos blmove blmpop
  blpop brpop brpoplpush bzmpop bzpopmax bzpopmin cluster command config copy debug discard
  dump exec failover fcall fcall_ro function geoadd geodist geohash geopos georadius
  georadius_ro georadiusbymember georadiusbymember_ro geosearch geosearchstore getbit getex
  getrange hincrbyfloat hrandfield hscan incrbyfloat lastsave latency lcs linsert lmove lmpop
  lolwut lpos memory migrate module monitor move msetnx multi object pfadd pfcount pfdebug
  pfmerge pfselftest psubscribe psync pubsub punsubscribe quit randomkey readonly readwrite
  replconf replicaof reset restore restore-asking rpoplpush save sdiff sdiffstore setbit
  setrange shutdown sinter sintercard sinterstore slaveof slowlog smove sort sort_ro spop
  srandmember sscan substr sunion sunionstore swapdb sync touch unwatch watch xack xadd
  xautoclaim xclaim xdel xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange xsetid
  xtrim zdiff zdiffstore zinter zintercard zinterstore zlexcount zmpop zmscore zrandmember
  zrangebylex zrangestore zremrangebylex zrevrangebylex zscan zunion zunionstore
`;

const MISSING_COMMANDS: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/));
