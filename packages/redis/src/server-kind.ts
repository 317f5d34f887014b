import { ConfigError } from '@holdfast/core';
import type { Reply } from './port.ts';

/** The kind of server that an address leads to. */
export type ServerKind = 'standalone' | 'cluster';

/**
 * Returns why a server is of another kind than expected, by its reply to HELLO; undefined if it does not say its kind. It is
 * asked on every connection, because a server that was down when its node was opened has not been checked.
 */
export function wrongKind(
  hello: Reply,
  expected: ServerKind,
  address: string,
): ConfigError | undefined {
  const mode = modeIn(hello);
  if (mode === expected || !Object.hasOwn(REASONS, mode)) return undefined;
  return new ConfigError(`${address} ${REASONS[mode]}`);
}

const REASONS: Readonly<Record<string, string>> = {
  cluster:
    'is a node of a cluster, and one standalone server is needed; the URL of a cluster is redis+cluster://host:port,host:port',
  sentinel:
    'is a sentinel, which keeps no data; the URL of sentinels is redis+sentinel://host,host/name',
  standalone: 'is a standalone server, and a node of a cluster is needed; its URL is redis://host',
};

/** The reply has names and values in turn. */
function modeIn(hello: Reply): string {
  if (!Array.isArray(hello)) return '';
  const at = hello.indexOf('mode');
  const mode: unknown = at < 0 ? undefined : hello[at + 1];
  return typeof mode === 'string' ? mode : '';
}
