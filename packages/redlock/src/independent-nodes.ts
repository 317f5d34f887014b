import { ConfigError } from '@holdfast/core';
import { NAME } from './identity.ts';

/** Spellings of the address of this machine itself. */
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?=:\d+$)/i;
/** Behind a host, or a socket in the file system. */
const DATABASE = /(?<=^[^/]*)\/\d+$|\?db=\d+$/;

/**
 * Rejects a node that is listed twice: it would vote twice. Two databases of one server are one node, with one memory
 * and one clock, which fails at once.
 * @throws ConfigError
 */
export function rejectDuplicateNodes(addresses: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const address of addresses) {
    const server = serverOf(address);
    const duplicate = seen.get(server);
    if (duplicate !== undefined) throw listedTwice(duplicate, address);
    seen.set(server, address);
  }
}

/**
 * Rejects two names that resolve to one server. `resolved` has the IP addresses of each address, in order, and none if
 * the name is unknown, since a node may be down.
 * @throws ConfigError
 */
export function rejectResolvedDuplicates(
  addresses: readonly string[],
  resolved: readonly (readonly string[])[],
): void {
  const seen = new Map<string, string>();
  for (const [at, address] of addresses.entries()) {
    for (const found of resolved[at] ?? []) {
      const duplicate = seen.get(found);
      if (duplicate !== undefined && duplicate !== address) throw listedTwice(duplicate, address);
      seen.set(found, address);
    }
  }
}

/** Returns `host:port` in one spelling. */
function serverOf(address: string): string {
  return address.replace(DATABASE, '').replace(LOOPBACK, 'localhost').toLowerCase();
}

function listedTwice(one: string, other: string): ConfigError {
  const what = one === other ? `${one} is listed twice` : `${one} and ${other} are the same server`;
  return new ConfigError(`${NAME}: ${what}: every node votes once`, { backend: NAME });
}

/** The reason why a node must be a single server. */
const WHY =
  'a promoted replica lacks the votes that it had not received, so two clients may hold a key at once; use the URLs of independent servers (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/#why-failover-based-implementations-are-not-enough)';

const SENTINELS = /^(?:rediss?[+-])?sentinels?:/i;
const CLUSTER = /^(?:rediss?[+-])?cluster:/i;

/**
 * Rejects a source of several servers, one of which takes over from another.
 * @throws ConfigError with the reason
 */
export function rejectReplicated(sources: readonly unknown[]): void {
  for (const source of sources) {
    const what = replication(source);
    if (what === undefined) continue;
    throw new ConfigError(`${NAME}: ${what} cannot be a node: ${WHY}`, { backend: NAME });
  }
}

function replication(source: unknown): string | undefined {
  if (typeof source === 'string') {
    if (SENTINELS.test(source)) return 'a master behind sentinels';
    return CLUSTER.test(source) ? 'a cluster' : undefined;
  }
  const client = clientIn(source);
  if (client === undefined) return undefined;
  const options: unknown = Reflect.get(client, 'options');
  // Only its methods identify a sentinel client of node-redis.
  const isBehind = isObject(options) && Reflect.get(options, 'sentinels') != null;
  if (isBehind || 'getMasterNode' in client) return 'a client of sentinels';
  const isCluster = Reflect.get(client, 'isCluster') === true || 'masters' in client;
  return isCluster ? 'a client of a cluster' : undefined;
}

/** Returns the client in a source, which may be the client itself or `{ client, shareClient }`. */
function clientIn(source: unknown): object | undefined {
  if (!isObject(source)) return undefined;
  // Commands are methods of a client, and one of them is called `client`.
  const client: unknown = 'duplicate' in source ? source : Reflect.get(source, 'client');
  return isObject(client) ? client : source;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}
