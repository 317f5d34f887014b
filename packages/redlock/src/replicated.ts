import { ConfigError } from '@holdfast/core';
import { NAME } from './identity.ts';

/** Why a node must be a server by itself. */
const WHY =
  'a replica that is promoted there forgets votes that it never heard of, so that two may hold a key at once; give the URLs of independent servers (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/#why-failover-based-implementations-are-not-enough)';

const SENTINELS = /^(?:rediss?[+-])?sentinels?:/i;
const CLUSTER = /^(?:rediss?[+-])?cluster:/i;

/**
 * Refuses what stands for several servers, one of which takes over from another.
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
  // That of node-redis tells by its methods alone.
  const isBehind = isObject(options) && Reflect.get(options, 'sentinels') != null;
  if (isBehind || 'getMasterNode' in client) return 'a client of sentinels';
  const isCluster = Reflect.get(client, 'isCluster') === true || 'masters' in client;
  return isCluster ? 'a client of a cluster' : undefined;
}

/** A client may come with how it is to be taken. */
function clientIn(source: unknown): object | undefined {
  if (!isObject(source)) return undefined;
  // Commands are methods of a client, and one of them is called `client`.
  const client: unknown = 'duplicate' in source ? source : Reflect.get(source, 'client');
  return isObject(client) ? client : source;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}
