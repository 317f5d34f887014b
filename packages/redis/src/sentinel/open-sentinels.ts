import { ConfigError, type Runtime } from '@holdfast/core';
import type { HostPort } from '../adapters/clients.ts';
import { dialerFor, loadAdapter } from '../adapters/dialer.ts';
import {
  addressOfGroup,
  groupOfIoredis,
  groupOfNodeRedis,
  groupOfUrl,
  namesOfIoredis,
  namesOfNodeRedis,
  type SentinelGroup,
  type SentinelUrlOptions,
} from '../adapters/sentinel-group.ts';
import type { Dialer } from '../link.ts';
import type { RedisSource } from '../open.ts';
import { identify, isIoredisOfSentinels, isNodeRedisSentinel } from '../source.ts';
import { SentinelDialer } from './sentinel-dialer.ts';
import type { NatMap } from './sentinel-options.ts';
import { addressOfHost, isSentinelUrl, parseSentinelUrl } from './sentinel-url.ts';

/**
 * Returns the sentinels that a source names; undefined for any other source. Nothing connects.
 * @throws ConfigError for sentinels that cannot be used
 */
export async function sentinelGroupOf(
  source: RedisSource,
  options: SentinelUrlOptions,
): Promise<SentinelGroup | undefined> {
  if (typeof source === 'string')
    return isSentinelUrl(source) ? await groupOfUrl(source, options) : undefined;
  const client = clientIn(source);
  if (client === undefined) return undefined;
  if (isIoredisOfSentinels(client)) {
    await loadAdapter('ioredis');
    return groupOfIoredis(rejectShared(client, source));
  }
  if (isNodeRedisSentinel(client)) return await groupOfNodeRedis(rejectShared(client, source));
  return undefined;
}

/** Returns the address of such a source, without credentials; undefined for any other. @throws ConfigError */
export function addressBehindSentinels(source: RedisSource): string | undefined {
  if (typeof source === 'string')
    return isSentinelUrl(source) ? addressOfGroup(parseSentinelUrl(source)) : undefined;
  const client = clientIn(source);
  if (client === undefined) return undefined;
  if (isIoredisOfSentinels(client)) return addressOfGroup(namesOfIoredis(client));
  return isNodeRedisSentinel(client) ? addressOfGroup(namesOfNodeRedis(client)) : undefined;
}

/** Connections to the master of a group, each through a plain client. */
export function sentinelDialer(
  group: SentinelGroup,
  { runtime, connectMs }: { readonly runtime: Runtime; readonly connectMs: number },
): Dialer {
  const { name } = group;
  const address = addressOfGroup(group);
  return new SentinelDialer({
    runtime,
    address,
    name,
    ...dialersOf(group),
    connectMs,
  });
}

/** Returns dialers to the sentinels of a group, and what dials a data node that they name. */
export function dialersOf({ data, sentinel, sentinels, natMap }: SentinelGroup): {
  readonly sentinels: readonly Dialer[];
  readonly dialMaster: (at: HostPort) => Dialer;
} {
  const secrets = [...identify(data).secrets, ...identify(sentinel).secrets];
  const shared = { shareClient: false, secrets };
  const dialer = (known: typeof data, at: HostPort): Dialer =>
    dialerFor(known, { ...shared, address: addressOfHost(at), at });
  return {
    sentinels: sentinels.map((at) => dialer(sentinel, at)),
    dialMaster: (at) => dialer(data, reachable(at, natMap)),
  };
}

/** The address from here of a server that the sentinels name. */
export function reachable(at: HostPort, natMap: NatMap | undefined): HostPort {
  const address = addressOfHost(at);
  const mapped = typeof natMap === 'function' ? natMap(address) : natMap?.[address];
  return mapped == null ? at : { host: mapped.host, port: mapped.port };
}

function clientIn(source: RedisSource): object | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const client: unknown = 'shareClient' in source ? source.client : source;
  return typeof client === 'object' && client !== null ? client : undefined;
}

/** The client itself would connect by itself, and send late and again. @throws ConfigError */
function rejectShared<Client extends object>(client: Client, source: object): Client {
  if (!('shareClient' in source) || source.shareClient !== true) return client;
  throw new ConfigError(
    'shareClient refused: a client of sentinels sends commands late and twice after a failover; without shareClient it is used for its configuration',
  );
}
