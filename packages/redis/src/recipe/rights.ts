import {
  type CallOptions,
  NodeReplyError,
  type RedisNode,
  type Reply,
  type Script,
} from '../port.ts';
import { classifyReply, codeOf } from '../replies.ts';
import { keyPrefix } from './key-prefix.ts';
import { isDenial } from './lock-errors.ts';

/** The arguments with which a command, called by a script, changes nothing. */
const HARMLESS = {
  get: 'KEYS[1]',
  set: "KEYS[1], '', 'XX', 'PX', '1'",
  del: 'KEYS[1]',
  pttl: 'KEYS[1]',
  pexpire: "KEYS[1], '1'",
  time: '',
  publish: "KEYS[1], ''",
  zadd: "KEYS[1], 'XX', '0', ''",
  zrem: "KEYS[1], ''",
  zrange: "KEYS[1], '0', '0'",
  zrank: "KEYS[1], ''",
  zscore: "KEYS[1], ''",
  zcard: 'KEYS[1]',
} as const;

/** A command that scripts call. */
export type ScriptedCommand = keyof typeof HARMLESS;

/** The commands that a recipe sends, so that a user who may not run one of them is told when it is opened. */
export interface Rights {
  /** Those that its scripts call. */
  readonly scripted?: readonly ScriptedCommand[];
  /** A command of its scripts that may fail, and what happens then. */
  readonly optional?: { readonly command: ScriptedCommand; readonly without: string };
  /**
   * Those that it sends plainly, each with its arguments behind the key, in an order that leaves nothing. If DEL is
   * denied, those behind it are not sent.
   */
  readonly plain?: readonly (readonly [command: string, ...args: string[]])[];
}

/** A command that the server denies the user. */
export interface Denial {
  readonly command: string;
  /** The server's error line. */
  readonly why: string;
}

/** Returns what an administrator enters. The user's name is in no message: it is part of the log-in. */
export function aclLine(rules: readonly string[]): string {
  return `ACL SETUSER <user> ${[...new Set(rules)].join(' ')}`;
}

/** No script has this digest: a server that permits EVALSHA replies NOSCRIPT. */
const NO_DIGEST = '0'.repeat(40);

/** Returns `‹namespace›:v1:{}:access`, under which no key ever stands: no lock has it, because no key is empty. */
function accessKey(namespace: string): string {
  return `${keyPrefix(namespace, '')}access`;
}

/**
 * Runs each command of `rights` once, in a form that leaves nothing: inside a script if a script calls it, since an ACL
 * counts there too. Returns those that are denied.
 * @throws what `node.command` throws; a NodeReplyError if the server cannot tell now
 */
export async function denials(
  node: RedisNode,
  rights: Rights,
  namespace: string,
  options: CallOptions,
): Promise<readonly Denial[]> {
  const key = accessKey(namespace);
  const calls = await Promise.all([
    plainDenials(node, rights.plain ?? [], key, options),
    rights.scripted === undefined ? [] : scriptedDenials(node, rights, key, options),
  ]);
  return calls.flat();
}

async function plainDenials(
  node: RedisNode,
  plain: NonNullable<Rights['plain']>,
  key: string,
  options: CallOptions,
): Promise<readonly Denial[]> {
  const denied: Denial[] = [];
  for (const [command, ...args] of plain) {
    const why = await denialIn(node.command([command.toUpperCase(), key, ...args], options));
    if (why !== undefined) denied.push({ command, why });
    if (why !== undefined && command === 'del') break;
  }
  return denied;
}

async function scriptedDenials(
  node: RedisNode,
  { scripted = [], optional }: Rights,
  key: string,
  options: CallOptions,
): Promise<readonly Denial[]> {
  const commands = optional === undefined ? scripted : [...scripted, optional.command];
  let failed: Reply = [];
  const run = async (): Promise<Reply> =>
    (failed = await node.script(
      accessScript(commands, node.cluster !== undefined),
      [key],
      [],
      options,
    ));
  const [whyNoScript, whyNoDigest] = await Promise.all([
    denialIn(run()),
    denialIn(node.command(['EVALSHA', NO_DIGEST, '1', key], options)),
  ]);
  const denied =
    whyNoScript === undefined ? deniedIn(failed) : [{ command: 'eval', why: whyNoScript }];
  return whyNoDigest === undefined ? denied : [...denied, { command: 'evalsha', why: whyNoDigest }];
}

/** Returns the error line that denies a call, or undefined. @throws if the server cannot tell now */
async function denialIn(reply: Promise<Reply>): Promise<string | undefined> {
  try {
    await reply;
    return undefined;
  } catch (cause) {
    if (!(cause instanceof NodeReplyError) || classifyReply(cause) === 'unavailable') throw cause;
    return isDenial(cause.message) ? cause.message : undefined;
  }
}

/** Reads the reply of {@link accessScript}. @throws NodeReplyError if the server cannot tell now */
function deniedIn(failed: Reply): readonly Denial[] {
  if (!Array.isArray(failed)) return [];
  return failed.flatMap((each: Reply) => {
    const [command, why]: readonly Reply[] = Array.isArray(each) ? each : [];
    if (typeof command !== 'string' || typeof why !== 'string') return [];
    if (classifyReply(why) === 'unavailable') throw new NodeReplyError(codeOf(why), why);
    return isDenial(why) ? [{ command, why }] : [];
  });
}

/** Returns a script that calls each command, and returns those that fail with their errors. */
function accessScript(commands: readonly ScriptedCommand[], isCluster: boolean): Script {
  const calls = commands.map((name) => {
    if (name === 'publish' && isCluster) return TRY_SHARD;
    const args = HARMLESS[name];
    return `try('${name}', redis.pcall('${name.toUpperCase()}'${args === '' ? '' : `, ${args}`}))`;
  });
  return { name: 'access', source: `${TRY}${calls.join('\n')}\nreturn failed\n` };
}

/** On a cluster either does: `SPUBLISH`, or `PUBLISH`, which alone is known to Redis 6.2. */
const TRY_SHARD = `
local sent = redis.pcall('SPUBLISH', KEYS[1], '')
if type(sent) == 'table' and sent.err then sent = redis.pcall('PUBLISH', KEYS[1], '') end
try('publish', sent)`;

const TRY = `
-- KEYS[1] a name under which no key ever stands, and a channel that nobody hears
-- returns { command, error } for each command that failed
local failed = {}
local function try(name, reply)
  if type(reply) == 'table' and reply.err then failed[#failed + 1] = { name, reply.err } end
end
`;
