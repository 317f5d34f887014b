import { isIP } from 'node:net';
import { ConfigError } from '@holdfast/core';
import type { OwnServers } from '../index.ts';

/** How long a server of the user's may take to answer, in ms. */
export const ANSWER_MS = 3_000;

export type Target = OwnServers['targets'][number];

export function targetOf(url: string): Target {
  const { hostname, port } = new URL(url);
  return {
    host: withoutBrackets(hostname) || 'localhost',
    port: port === '' ? 6_379 : Number(port),
  };
}

/** Without the brackets of an IPv6 address. */
export function withoutBrackets(hostname: string): string {
  return hostname.replaceAll(/^\[|\]$/g, '');
}

/** The same URL by way of a proxy on loopback. */
export function proxiedUrl(url: string, port: number): string {
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return through.href;
}

/** The same `zk://` URL by way of proxies on loopback; the session timeout it names is not theirs. */
export function proxiedUrls(url: string, ports: readonly number[]): string {
  const servers = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return url.replace(/^(zk:\/\/(?:[^/?]*@)?)[^/?]*([^?]*).*$/is, `$1${servers}$2`);
}

/**
 * Clients reach servers by way of a proxy on loopback: which name is to stand in the certificate has to be said.
 * @throws ConfigError where one option has to serve servers of several names, or a server has none
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
      'over TLS the laboratory has to know the one name that stands in the certificate: say tls: { servername }',
    );
  return { ...tls, servername: host };
}
