import { isIP } from 'node:net';
import { ConfigError } from '@holdfast/core';
import type { OwnServers } from '../index.ts';

/** The time in which a server of the user's has to reply, in ms. */
export const REPLY_MS = 3_000;

export type Target = OwnServers['targets'][number];

export function targetOf(url: string): Target {
  const { hostname, port } = new URL(url);
  return {
    host: withoutBrackets(hostname) || 'localhost',
    port: port === '' ? 6_379 : Number(port),
  };
}

/** Removes the brackets of an IPv6 address. */
export function withoutBrackets(hostname: string): string {
  return hostname.replaceAll(/^\[|\]$/g, '');
}

/** The URL, through a proxy on loopback. */
export function proxiedUrl(url: string, port: number): string {
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return through.href;
}

/** The `zk://` URL, through proxies on loopback, without the session timeout that it may name. */
export function proxiedUrls(url: string, ports: readonly number[]): string {
  const servers = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return url.replace(/^(zk:\/\/(?:[^/?]*@)?)[^/?]*([^?]*).*$/is, `$1${servers}$2`);
}

/**
 * The TLS options for clients that connect through a proxy on loopback: they need the name that the certificate has.
 * @throws ConfigError if one option has to serve servers of several names, or a server has no name
 */
export function tlsBy(
  tls: object | undefined,
  targets: readonly Target[],
  isTls: boolean,
): object | undefined {
  if (!isTls || (tls !== undefined && 'servername' in tls)) return tls;
  const [host = '', ...others] = new Set(targets.map((target) => target.host));
  if (others.length > 0 || isIP(host) > 0)
    throw new ConfigError(
      'over TLS the lab needs the one name that the certificate has: set tls: { servername }',
    );
  return { ...tls, servername: host };
}
