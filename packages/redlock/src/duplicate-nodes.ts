import { ConfigError } from '@holdfast/core';
import { NAME } from './identity.ts';

/** Ways to write the address of this machine itself. */
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?=:\d+$)/i;
const DATABASE = /\/\d+$/;

/**
 * Refuses a node that is listed twice: it would vote twice. Two databases of one server are one node, which has one
 * memory, one clock and one plug.
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
 * The same by what names resolve to; `resolved` holds what was found for each address, in order, and nothing where
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

/** `host:port` in one spelling. */
function serverOf(address: string): string {
  return address.replace(DATABASE, '').replace(LOOPBACK, 'localhost').toLowerCase();
}

function listedTwice(one: string, other: string): ConfigError {
  const what = one === other ? `${one} is listed twice` : `${one} and ${other} are the same server`;
  return new ConfigError(`${NAME}: ${what}: every node votes once`, { backend: NAME });
}
