import type { CommandContext, Commands } from '../command.ts';
import { type InnerReply, OK, RedisError, SimUnsupportedError } from '../reply.ts';

export const SERVER_COMMANDS: Commands = {
  ping: [-1, 'read', ping],
  echo: [2, 'read', ([, text = '']) => text],
  time: [1, 'read', time],
  subscribe: [-2, 'outside', ofConnections],
  ssubscribe: [-2, 'outside', ofConnections],
  unsubscribe: [-1, 'outside', ofConnections],
  sunsubscribe: [-1, 'outside', ofConnections],
  info: [-1, 'read', (args, server) => info(args.slice(1), server)],
  hello: [-1, 'outside', hello],
  client: [-2, 'outside', client],
  select: [2, 'read', select],
  role: [1, 'outside', (_, server) => [server.role === 'replica' ? 'slave' : 'master']],
  wait: [3, 'outside', wait],
  publish: [
    3,
    'read',
    ([, channel = '', text = ''], server) => server.publish(channel, text, false),
  ],
  spublish: [
    3,
    'read',
    ([, channel = '', text = ''], server) => server.publish(channel, text, true),
  ],
};

/** The owner of the connections keeps their subscriptions, and handles these commands before they reach the engine. */
function ofConnections([name = '']: readonly string[]): never {
  throw new SimUnsupportedError(`connections to ${name.toUpperCase()} with`);
}

function ping(args: readonly string[]): InnerReply {
  if (args.length > 2) throw new RedisError("ERR wrong number of arguments for 'ping' command");
  return args[1] ?? { status: 'PONG' };
}

function time(_: readonly string[], { nowUs }: CommandContext): InnerReply {
  return [`${Math.floor(nowUs / 1_000_000)}`, `${nowUs % 1_000_000}`];
}

/** Only checks: the owner of the connections knows the replicas, and blocks. */
function wait(
  [, replicas = '', timeoutMs = '']: readonly string[],
  { role }: CommandContext,
): InnerReply {
  if (role === 'replica') throw new RedisError(WAIT_ON_REPLICA);
  if (!/^-?\d{1,18}$/.test(replicas))
    throw new RedisError('ERR value is not an integer or out of range');
  if (!/^-?\d{1,18}$/.test(timeoutMs))
    throw new RedisError('ERR timeout is not an integer or out of range');
  if (timeoutMs.startsWith('-')) throw new RedisError('ERR timeout is negative');
  return 0;
}

const WAIT_ON_REPLICA =
  'ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.';

function modeOf(isCluster: boolean): string {
  return isCluster ? 'cluster' : 'standalone';
}

const VERSION = '7.0.15';

/** The fields that decide if a node can hold locks, under the sections and names of Redis 7.0. */
const SECTIONS: readonly (readonly [
  name: string,
  lines: (server: CommandContext) => readonly string[],
])[] = [
  [
    'Server',
    ({ runId, nowUs, isCluster }) => [
      `redis_version:${VERSION}`,
      `redis_mode:${modeOf(isCluster)}`,
      `run_id:${runId}`,
      `server_time_usec:${nowUs}`,
    ],
  ],
  ['Memory', () => ['maxmemory:0', 'maxmemory_policy:noeviction']],
  ['Persistence', () => ['loading:0', 'async_loading:0']],
  ['Replication', ({ role }) => [`role:${role === 'replica' ? 'slave' : 'master'}`]],
  ['Cluster', ({ isCluster }) => [`cluster_enabled:${isCluster ? 1 : 0}`]],
  ['Keyspace', ({ keys }) => (keys.size === 0 ? [] : [`db0:keys=${keys.size}`])],
];

const EVERYTHING: ReadonlySet<string> = new Set(['all', 'default', 'everything']);

function info(wanted: readonly string[], server: CommandContext): InnerReply {
  const names = wanted.map((name) => name.toLowerCase());
  const all = names.length === 0 || names.some((name) => EVERYTHING.has(name));
  let text = '';
  for (const [name, lines] of SECTIONS) {
    if (!all && !names.includes(name.toLowerCase())) continue;
    text += `${text === '' ? '' : '\r\n'}# ${name}\r\n`;
    for (const line of lines(server)) text += `${line}\r\n`;
  }
  return text;
}

function hello(args: readonly string[], server: CommandContext): InnerReply {
  const version = args[1];
  if (version !== undefined && !/^-?\d+$/.test(version))
    throw new RedisError('ERR Protocol version is not an integer or out of range');
  if (version !== undefined && version !== '2' && version !== '3')
    throw new RedisError('NOPROTO unsupported protocol version');
  const role = server.role === 'replica' ? 'replica' : 'master';
  const fields = ['server', 'redis', 'version', VERSION, 'proto', 2, 'id', 1];
  return [...fields, 'mode', modeOf(server.isCluster), 'role', role, 'modules', []];
}

const CLIENT_REPLIES: Readonly<Record<string, InnerReply>> = {
  id: 1,
  getname: null,
  setname: OK,
  setinfo: OK,
  reply: OK,
};

function client([, word = '']: readonly string[]): InnerReply {
  const reply = CLIENT_REPLIES[word.toLowerCase()];
  if (reply === undefined)
    throw new RedisError(`ERR unknown subcommand '${word}'. Try CLIENT HELP.`);
  return reply;
}

/** The simulator has one database. */
function select([, index = '']: readonly string[]): InnerReply {
  if (!/^\d+$/.test(index)) throw new RedisError('ERR value is not an integer or out of range');
  if (index !== '0') throw new RedisError('ERR DB index is out of range');
  return OK;
}
