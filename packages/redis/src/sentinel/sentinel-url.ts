import { ConfigError } from '@holdfast/core';
import type { HostPort } from '../adapters/clients.ts';
import { addressOf, type Endpoint } from '../endpoint.ts';

/** The master that sentinels monitor, and the log-in of the data nodes, as in a URL. */
export interface SentinelEndpoint extends Omit<Endpoint, 'host' | 'port'> {
  readonly sentinels: readonly HostPort[];
  /** The name of the master. */
  readonly name: string;
}

const DEFAULT_PORT = 26_379;
const SCHEME = /^rediss?\+sentinel:/i;
/** The credentials end at the last `@`, as in a URL with one host. */
const URL_PARTS =
  /^(?<scheme>rediss?)\+sentinel:\/\/(?:(?<credentials>[^]*)@)?(?<hosts>[^/?#@]*)(?:\/(?<name>[^/?#@]*)(?:\/(?<db>\d*))?)?$/i;
const HOST = /^(?<host>\[[\da-f:.]+\]|[^\s[\]:%]+)(?::(?<port>\d{1,5}))?$/i;
const EXAMPLE = 'redis+sentinel://s1:26379,s2:26379,s3:26379/mymaster';

export function isSentinelUrl(text: string): boolean {
  return SCHEME.test(text);
}

/**
 * Reads `redis+sentinel://[[user]:password@]host[:port],…/name[/db]`, or `rediss+sentinel://` for TLS. Errors never contain
 * the URL, because it may hold a password.
 * @throws ConfigError
 */
export function parseSentinelUrl(text: string): SentinelEndpoint {
  const parts = URL_PARTS.exec(text)?.groups;
  if (parts === undefined)
    throw new ConfigError(
      `not a URL of sentinels; one looks like ${EXAMPLE}, and in a password "?" is written %3F, and "#" %23`,
    );
  const { scheme = '', credentials = '', hosts = '', name = '', db = '' } = parts;
  // Each host with its own would be read as one host, with all the rest as its password.
  if (/@.*,/.test(credentials))
    throw new ConfigError(
      `a URL of sentinels has one log-in, that of the data nodes; in a password "@" is written %40: ${EXAMPLE}`,
    );
  if (name === '')
    throw new ConfigError(`a URL of sentinels names the master that they monitor: ${EXAMPLE}`);
  const [username = '', ...password] = credentials.split(':');
  return {
    sentinels: distinct(hosts.split(',').map(hostPort)),
    name: decoded(name) ?? '',
    db: Number(db),
    isTls: scheme.toLowerCase() === 'rediss',
    username: decoded(username),
    password: decoded(password.join(':')),
  };
}

/** Rejects a sentinel that is listed twice: it would count twice where most of them decide. @throws ConfigError */
export function distinct(sentinels: readonly HostPort[]): readonly HostPort[] {
  const seen = new Set<string>();
  for (const sentinel of sentinels) {
    const address = addressOfHost(sentinel).toLowerCase();
    if (seen.has(address)) throw new ConfigError(`the sentinel ${address} is listed twice`);
    seen.add(address);
  }
  return sentinels;
}

export function addressOfHost({ host, port }: HostPort): string {
  return addressOf({ host, port, db: 0 });
}

/** A host is shown, and may be a part of a password whose `@` was encoded: so a wrong one is not. */
function hostPort(text: string): HostPort {
  const { host, port = `${DEFAULT_PORT}` } = HOST.exec(text)?.groups ?? {};
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new ConfigError(`a host in a URL of sentinels is written host or host:port: ${EXAMPLE}`);
  return { host: host.replaceAll(/^\[|\]$/g, ''), port: Number(port) };
}

function decoded(encoded: string): string | undefined {
  if (encoded === '') return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new ConfigError(
      'the user, password or name in a URL of sentinels is not percent-encoded correctly',
    );
  }
}
