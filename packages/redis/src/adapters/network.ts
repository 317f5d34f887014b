const NAMED = /^(?<host>\[[^\]]+\]|[^/:]+):(?<port>\d+)/;

/**
 * Returns `ip:port` for every IP address of the host in an address. Empty if the name is unknown, since the node may be
 * down, and its name with it; empty for a socket in the file system. Imports on demand: a browser has no resolver.
 * @example
 * ```ts
 * const [first] = await resolveAddress('redis1:6379'); // such as '10.0.0.7:6379'
 * ```
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

/** Where a server is asked which protocol it speaks. */
export interface Wire {
  readonly host: string;
  readonly port: number;
}

/** The first byte of a reply of Redis: a status, or an error if it lets nobody in. */
const REPLY = /^[+-]/;

/**
 * Returns true if the server replies to a plain PING, or, with `tls`, completes a TLS handshake with any certificate. Sends
 * no log-in. False if it does not, cannot be reached, or once `signal` aborts. Imports on demand: a browser has no sockets.
 */
export async function speaks(
  { host, port }: Wire,
  { tls, signal }: { readonly tls: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  const { connect } = await import('node:net');
  const { connect: connectTls } = await import('node:tls');
  return await new Promise((done) => {
    const socket = tls
      ? connectTls({ host, port, rejectUnauthorized: false })
      : connect(port, host);
    const settle = (does: boolean): void => {
      socket.destroy();
      done(does);
    };
    if (tls) socket.once('secureConnect', () => settle(true));
    else socket.once('connect', () => void socket.write('PING\r\n'));
    socket.once('data', (bytes) => settle(!tls && REPLY.test(bytes.toString('latin1'))));
    socket.on('error', () => settle(false)).on('close', () => settle(false));
    if (signal.aborted) settle(false);
    else signal.addEventListener('abort', () => settle(false));
  });
}
