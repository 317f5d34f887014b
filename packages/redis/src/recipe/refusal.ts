import type { Runtime } from '@holdfast/core';
import { speaks, type Wire } from '../adapters/network.ts';
import { propertyOf } from '../adapters/reply.ts';
import { parseRedisUrl } from '../endpoint.ts';
import type { RedisSource } from '../open.ts';
import type { NodeReplyError } from '../port.ts';
import { classifyReply } from '../replies.ts';
import { aclLine } from './rights.ts';

/** Codes of Node for a TLS connection that it does not trust. */
const UNTRUSTED =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_)/;

/** Replies to a log-in that only a change of the configuration helps, beside those of the reply table. */
const WRONG_LOG_IN = /DB index is out of range|without any password configured|no password is set/;
/** In a log-in: of a database, by SELECT. */
const DENIED_COMMAND = /^-?NOPERM .*run the '([\w|]+)' command/;

/** Returns why waiting will not help against a failure: a wrong password stays wrong, unlike a server that is down. */
export function refusalOf(cause: unknown, reply: NodeReplyError | undefined): string | undefined {
  if (reply === undefined) return certificateFault(cause);
  if (classifyReply(reply) !== 'refused' && !WRONG_LOG_IN.test(reply.message)) return undefined;
  const [, command] = DENIED_COMMAND.exec(reply.message) ?? [];
  const remedy = command === undefined ? '' : `; add ${aclLine([`+${command}`])}`;
  return `refused access: ${reply.message}${remedy}`;
}

function certificateFault(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const code = propertyOf(error, 'code');
    if (typeof code === 'string' && UNTRUSTED.test(code))
      return `has a certificate that is not trusted: ${error.message}; give the option tls, for example { ca }`;
  }
  return undefined;
}

/** The limit of asking a server what it speaks. */
const ASK_MS = 500;
const PLAIN_URL = /^rediss?:/i;
const CLUSTER_URL = /^rediss?\+cluster:/i;
/** Members of node-redis clients of several servers. */
const OF_SEVERAL = ['masters', 'sentinelOptions', 'getMasterNode'];

/**
 * Returns why a server is not reached, if it speaks TLS and the source does not, or the other way round. Such a connection
 * mostly hangs, or is closed without a word, as by a server that is down: so the server is asked what it speaks.
 */
export async function protocolFault(
  source: RedisSource,
  runtime: Runtime,
): Promise<string | undefined> {
  const found = await wireOf(source);
  if (found === undefined) return undefined;
  const { wire, isTls, kind = '' } = found;
  const limit = new AbortController();
  const cancel = runtime.timer(ASK_MS, () => limit.abort(), { awaited: true });
  const { signal } = limit;
  if (!(await speaks(wire, { tls: !isTls, signal }).finally(cancel))) return undefined;
  return isTls
    ? `does not speak TLS: its URL begins with redis${kind}://, not rediss${kind}://`
    : `speaks TLS: its URL begins with rediss${kind}://, not redis${kind}://`;
}

interface Endpoint {
  readonly wire: Wire;
  readonly isTls: boolean;
  /** What the scheme of its URL has besides. */
  readonly kind?: '+cluster';
}

/** Undefined for anything but a server behind a host and a port that the backend connects to itself. */
async function wireOf(source: RedisSource): Promise<Endpoint | undefined> {
  if (typeof source === 'string') {
    if (CLUSTER_URL.test(source)) return await firstOfCluster(source);
    if (!PLAIN_URL.test(source)) return undefined;
    const { host, port, isTls } = parseRedisUrl(source);
    return { wire: { host, port }, isTls };
  }
  return 'shareClient' in source ? undefined : wireOfClient(source);
}

/** The nodes of a cluster speak the same. */
async function firstOfCluster(url: string): Promise<Endpoint | undefined> {
  // Loaded already: the cluster was opened.
  const { parseClusterUrl } = await import('../cluster/cluster-url.ts');
  const [first] = parseClusterUrl(url);
  if (first === undefined) return undefined;
  const { host, port, isTls } = first;
  return { wire: { host, port }, isTls, kind: '+cluster' };
}

function wireOfClient(client: object): Endpoint | undefined {
  const found = propertyOf(client, 'options');
  const options = typeof found === 'object' && found !== null ? found : {};
  const isCluster = propertyOf(client, 'isCluster') === true;
  const hasSentinels = propertyOf(options, 'sentinels') != null;
  if (isCluster || hasSentinels || OF_SEVERAL.some((name) => name in client)) return undefined;
  const nested = propertyOf(options, 'socket');
  const socket = typeof nested === 'object' && nested !== null ? nested : options;
  if (typeof propertyOf(socket, 'path') === 'string') return undefined;
  const host = propertyOf(socket, 'host');
  const port = Number(propertyOf(socket, 'port') ?? 6379);
  const tls = propertyOf(socket, 'tls');
  return {
    wire: { host: typeof host === 'string' ? host : 'localhost', port },
    isTls: Boolean(tls),
  };
}
