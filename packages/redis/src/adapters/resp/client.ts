import type { Socket } from 'node:net';
import type { Endpoint } from '../../endpoint.ts';
import type { Dialer } from '../../link.ts';
import type { RespClient, RespDialerOptions } from '../clients.ts';
import { RespLink } from './resp-link.ts';

/** Returns a socket that is being connected to an endpoint. */
type Connect = (endpoint: Endpoint) => Socket;

/**
 * Returns what makes connections of our own to an endpoint. `tls` is passed to `tls.connect`. Imports on demand: a browser has
 * no sockets.
 */
export async function respClient(endpoint: Endpoint, tls: object | undefined): Promise<RespClient> {
  const [{ connect, isIP, Socket: EndedSocket }, { connect: connectTls }] = await Promise.all([
    import('node:net'),
    import('node:tls'),
  ]);
  return clientOf(endpoint, ({ host, port, path, isTls }) => {
    const place = path === undefined ? { host, port } : { path };
    if (!isTls) return connect(place);
    const servername = isIP(host) === 0 ? { servername: host } : {};
    try {
      return connectTls({ ...place, ...servername, ...tls });
    } catch (cause) {
      // A certificate or key that is none throws, where a link is to end with an error.
      return new EndedSocket().destroy(cause instanceof Error ? cause : new Error(String(cause)));
    }
  });
}

function clientOf(endpoint: Endpoint, connect: Connect): RespClient {
  return {
    options: endpoint,
    with: (place) => clientOf({ ...endpoint, ...place, path: undefined }, connect),
    dialer: (options) => dialerTo(endpoint, connect, options),
  };
}

function dialerTo(
  endpoint: Endpoint,
  connect: Connect,
  { address, secrets, at }: RespDialerOptions,
): Dialer {
  const place = at === undefined ? endpoint : { ...endpoint, ...at, path: undefined };
  return {
    address,
    dial: (_, events) =>
      new RespLink({
        socket: connect(place),
        connected: place.isTls ? 'secureConnect' : 'connect',
        events,
        secrets,
        logIn: logInTo(place),
      }),
  };
}

function logInTo({ username, password, db }: Endpoint): readonly (readonly string[])[] {
  const auth = username === undefined ? ['AUTH'] : ['AUTH', username];
  return [
    ...(password === undefined && username === undefined ? [] : [[...auth, password ?? '']]),
    ...(db === 0 ? [] : [['SELECT', `${db}`]]),
  ];
}
