const NAMED = /^(?<host>\[[^\]]+\]|[^/:]+):(?<port>\d+)/;

/**
 * `ip:port` for every IP address that the host of an address has. Empty where nobody knows, and for a socket in the
 * file system: the node may be down, and its name with it. On demand, because a browser has no resolver.
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
