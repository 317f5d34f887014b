import { ConfigError } from '@holdfast/core';
import { UnexpectedReply } from './outcome.ts';
import { NodeReplyError, type RedisNode, type Reply } from './port.ts';
import type { ServerKind } from './server-kind.ts';

/** A node's description of itself; undefined or `unknown` if it reports none. */
export interface NodeDescription {
  /** The server's make. */
  readonly product: 'redis' | 'valkey' | 'unknown';
  /** The Redis version that it runs, or is compatible with. */
  readonly version: string | undefined;
  /** Only a master takes writes. */
  readonly role: 'master' | 'replica' | 'unknown';
  /** How the server was started. */
  readonly mode: 'standalone' | 'cluster' | 'sentinel' | 'unknown';
  /** Differs between servers and between starts of one: two addresses with one `runId` are one node. */
  readonly runId: string | undefined;
  /** Its `maxmemory-policy`. Any but `noeviction` may drop locks when memory is full. */
  readonly evictionPolicy: string | undefined;
}

/** A reason why a node that can keep locks may lose them. */
interface NodeWarning {
  /** That of the `warning` event. */
  readonly code: 'eviction-policy' | 'unchecked-node';
  readonly message: string;
}

const OLDEST = [6, 2] as const;

/**
 * Sends HELLO, which every user may send, and INFO, which may be denied to a user, or renamed: its fields then stay
 * unknown.
 * @example
 * ```ts
 * const { version, role } = await describeNode(node, { deadlineMs });
 * log(`${node.address}: ${role}, Redis ${version}`);
 * ```
 * @throws what `node.command` throws, except for an INFO that is denied or renamed; UnexpectedReply
 */
export async function describeNode(
  node: RedisNode,
  options: { readonly deadlineMs: number },
): Promise<NodeDescription> {
  const [hello, info] = await Promise.all([
    undefinedOn(({ code }) => code === 'ERR', node.command(['HELLO'], options)),
    undefinedOn(isWithheld, node.command(['INFO'], options)),
  ]);
  if (hello !== undefined && !Array.isArray(hello)) throw new UnexpectedReply('HELLO', hello);
  if (info !== undefined && typeof info !== 'string') throw new UnexpectedReply('INFO', info);
  return parseDescription(hello ?? [], info ?? '');
}

/** Resolves with undefined if the server replies with an expected error; rejects with any other. */
async function undefinedOn(
  isExpected: (error: NodeReplyError) => boolean,
  reply: Promise<Reply>,
): Promise<Reply | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof NodeReplyError && isExpected(error)) return undefined;
    throw error;
  }
}

/** True if the command is not permitted to this user, or does not exist under this name. */
function isWithheld({ code, message }: NodeReplyError): boolean {
  return code === 'NOPERM' || (code === 'ERR' && message.includes('unknown command'));
}

/** Reads the replies to HELLO, names and values in turn, and to INFO, of Redis or Valkey; either may be empty. */
export function parseDescription(hello: readonly Reply[], info: string): NodeDescription {
  const helloField = (name: string): string | undefined => {
    const value = hello[hello.indexOf(name) + 1];
    return hello.includes(name) && typeof value === 'string' ? value : undefined;
  };
  const field = (name: string): string | undefined => fieldIn(info, name);
  // INFO first: Valkey's HELLO may contain Valkey's own version, and the compatible one counts.
  const version = field('redis_version') ?? helloField('version');
  const server =
    field('server_name') ??
    (field('valkey_version') === undefined ? helloField('server') : 'valkey');
  return {
    product: version === undefined ? 'unknown' : server === 'valkey' ? 'valkey' : 'redis',
    version,
    role: oneOf(ROLES, field('role') ?? helloField('role')),
    mode: oneOf(MODES, field('redis_mode') ?? field('server_mode') ?? helloField('mode')),
    runId: field('run_id'),
    evictionPolicy: field('maxmemory_policy'),
  };
}

/** Returns the value of one line of INFO, `‹name›:‹value›`. */
function fieldIn(info: string, name: string): string | undefined {
  const begin = `${name}:`;
  const at = info.startsWith(begin) ? 0 : info.indexOf(`\n${begin}`) + 1;
  if (at === 0 && !info.startsWith(begin)) return undefined;
  const from = at + begin.length;
  const end = info.indexOf('\n', from);
  const value = info.slice(from, end < 0 ? info.length : end);
  return value.endsWith('\r') ? value.slice(0, -1) : value;
}

const ROLES = { master: 'master', slave: 'replica', replica: 'replica' } as const;
const MODES = { standalone: 'standalone', cluster: 'cluster', sentinel: 'sentinel' } as const;

/**
 * Rejects a node that cannot keep locks: too old, a replica, a sentinel, or a cluster node. Unknown fields pass.
 * @example
 * ```ts
 * const description = await describeNode(node, { deadlineMs });
 * requireMaster(description, node.address);
 * ```
 * @throws ConfigError
 */
export function requireMaster(
  description: NodeDescription,
  address: string,
  kind: ServerKind = 'standalone',
): void {
  const reason = unfitReason(description, kind);
  if (reason !== undefined) throw new ConfigError(`${address} ${reason}`);
}

/** Returns warnings about a node that can keep locks, but may lose them. */
export function warningsOf(description: NodeDescription, address: string): readonly NodeWarning[] {
  const message = evictionOf(description, address);
  if (message === false) return [];
  const isKnown = description.evictionPolicy !== undefined;
  return [{ code: isKnown ? 'eviction-policy' : 'unchecked-node', message }];
}

/**
 * Returns why a node may drop locks to free memory, or why that is not known; false if it never does.
 * @example
 * ```ts
 * const why = evictionOf(await describeNode(node, { deadlineMs }), node.address);
 * if (why !== false) log(why); // when memory is full, a lock may be dropped
 * ```
 */
export function evictionOf(
  description: NodeDescription | undefined,
  address: string,
): string | false {
  if (description === undefined) return `${address} was not reached`;
  const { evictionPolicy: policy } = description;
  if (policy === undefined)
    return `${address} does not report its eviction policy: INFO is not permitted, or renamed`;
  if (policy === 'noeviction') return false;
  return `${address} may drop locks when its memory is full: maxmemory-policy is ${policy}, not noeviction`;
}

function unfitReason(
  { version, role, mode }: NodeDescription,
  kind: ServerKind,
): string | undefined {
  if (mode === 'sentinel') return 'is a sentinel, which keeps no data';
  if (mode === 'cluster' && kind === 'standalone')
    return 'is a node of a cluster, and one standalone server is needed';
  if (role === 'replica')
    return 'is a replica, which takes no writes; give the address of its master';
  if (version === undefined || !isOlder(version)) return undefined;
  return `runs Redis ${version}, and at least ${OLDEST.join('.')} is needed`;
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

function oneOf<T extends string>(
  names: Readonly<Record<string, T>>,
  name: string | undefined,
): T | 'unknown' {
  return (name === undefined ? undefined : names[name]) ?? 'unknown';
}
