import { ConfigError } from '@holdfast/core';
import { type Endpoint, parseRedisUrl } from '../endpoint.ts';

const CLUSTER_URL = /^(rediss?)\+cluster:\/\/((?:[^/]*@)?)([^/?#]*)(\/[^]*)?$/i;

/** True for the URL of a cluster, right or wrong. */
export function isClusterUrl(url: string): boolean {
  return /^rediss?\+cluster:/i.test(url);
}

/**
 * Reads `redis+cluster://[[user]:password@]host[:port],host[:port],…`, or `rediss+cluster://` for TLS: the addresses of some
 * nodes, which know the others. Errors never contain the URL, because it may hold a password.
 * @throws ConfigError
 */
export function parseClusterUrl(url: string): readonly Endpoint[] {
  const [, scheme = '', credentials = '', hosts = '', path = ''] = CLUSTER_URL.exec(url) ?? [];
  if (scheme === '' || hosts === '' || hosts.split(',').includes(''))
    throw new ConfigError(
      'the URL of a cluster looks like redis+cluster://host:7000,host:7001, with one host or more',
    );
  // Each host with its own would be read as one host, with all the rest as its password.
  if (/@[^@]*,[^@]*@/.test(credentials))
    throw new ConfigError(
      'the URL of a cluster has one log-in, before the first host; in a password "@" is written %40',
    );
  if (!/^(?:\/0?)?$/.test(path))
    throw new ConfigError('a cluster has only database 0, so its URL ends with the hosts');
  return hosts.split(',').map((host) => parseRedisUrl(`${scheme}://${credentials}${host}`));
}
