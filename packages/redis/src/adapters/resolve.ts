const NAMED = /^(?<host>\[[^\]]+\]|[^/:]+):(?<port>\d+)/;

/**
 * Returns `ip:port` for every IP address of the host in an address. Empty if the name is unknown, since the node may be
 * down, and its name with it; empty for a socket in the file system. Imports on demand: a browser has no resolver.
 */
export async function resolveAddress(address: string): Promise<readonly string[]> {
  const { host = '', port = '' } = NAMED.exec(address)?.groups ?? {};
  if (host === '') return [];
  try {
    const { lookup } = await import('node:dns/promises');
    const found = await lookup(host.replaceAll(/^\[|\]$/g, ''), { all: true });
    return found.map((each) => `${each.address}:${port}`);
  } catch {
    return [];
  }
}
