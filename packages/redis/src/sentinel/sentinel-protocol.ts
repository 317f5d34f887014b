import type { Runtime } from '@holdfast/core';
import type { HostPort } from '../adapters/clients.ts';
import type { KnownClient } from '../adapters/load.ts';
import { propertyOf } from '../adapters/reply.ts';
import type { SentinelUrlOptions } from '../adapters/sentinel-group.ts';
import type { RedisSource } from '../open.ts';
import { MasterSearch } from './master-search.ts';
import { dialersOf, reachable, sentinelGroupOf } from './open-sentinels.ts';
import { addressOfHost } from './sentinel-url.ts';

/** The limit of asking the sentinels for the master. */
const ASK_MS = 500;

export interface ProtocolOptions {
  readonly runtime: Runtime;
  /** True if a server speaks TLS and is not meant to, or the other way round. */
  readonly isWrong: (at: HostPort, isTls: boolean) => Promise<boolean>;
}

/** Returns why the sentinels, or the master that they name, are not reached, if one of them speaks TLS against the options. */
export async function sentinelProtocolFault(
  source: RedisSource,
  options: SentinelUrlOptions,
  { runtime, isWrong }: ProtocolOptions,
): Promise<string | undefined> {
  const group = await sentinelGroupOf(source, options);
  if (group === undefined) return undefined;
  const isTls = usesTls(group.sentinel);
  const wrong = await Promise.all(group.sentinels.map((at) => isWrong(at, isTls)));
  const sentinel = group.sentinels[wrong.indexOf(true)];
  if (sentinel !== undefined)
    return `has the sentinel ${addressOfHost(sentinel)}, which ${isTls ? 'does not speak' : 'speaks'} TLS: set sentinelTls to ${!isTls}, or what the client has for it`;
  const dialers = dialersOf(group);
  const search = new MasterSearch({ runtime, name: group.name, ...dialers, askMs: ASK_MS });
  const found = await search.find().catch(() => undefined);
  if (found === undefined) return undefined;
  const isDataTls = usesTls(group.data);
  const master = reachable(found.master, group.natMap);
  if (!(await isWrong(master, isDataTls))) return undefined;
  const [right, not] = isDataTls ? ['redis', 'rediss'] : ['rediss', 'redis'];
  return `has the master ${addressOfHost(master)}, which ${isDataTls ? 'does not speak' : 'speaks'} TLS: the URL begins with ${right}+sentinel://, not ${not}+sentinel://; sentinelTls is for the sentinels`;
}

function usesTls({ library, client }: KnownClient): boolean {
  if (library === 'resp') return client.options.isTls;
  const { options } = client;
  const socket = library === 'redis' ? propertyOf(options, 'socket') : options;
  return typeof socket === 'object' && socket !== null && Boolean(propertyOf(socket, 'tls'));
}
