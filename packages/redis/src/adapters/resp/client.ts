import { connect as connectTcp, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Endpoint } from '../../endpoint.ts';
import type { Dialer } from '../../link.ts';
import type { RespClient, RespDialerOptions } from '../clients.ts';
import { RespLink } from './resp-link.ts';

/** Returns what makes connections of our own to an endpoint. `tls` is passed to `tls.connect`. */
export function respClient(endpoint: Endpoint, tls: object | undefined): RespClient {
  return {
    options: endpoint,
    with: (place) => respClient({ ...endpoint, ...place, path: undefined }, tls),
    dialer: (options) => dialerTo(endpoint, tls, options),
  };
}

function dialerTo(
  endpoint: Endpoint,
  tls: object | undefined,
  { address, secrets, at }: RespDialerOptions,
): Dialer {
  const place = at === undefined ? endpoint : { ...endpoint, ...at, path: undefined };
  return {
    address,
    dial: (_, events) =>
      new RespLink({
        socket: socketTo(place, tls),
        connected: place.isTls ? 'secureConnect' : 'connect',
        events,
        secrets,
        logIn: logInTo(place),
      }),
  };
}

function socketTo({ host, port, path, isTls }: Endpoint, tls: object | undefined): Socket {
  const place = path === undefined ? { host, port } : { path };
  if (!isTls) return connectTcp(place);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  try {
    return connectTls({ ...place, ...servername, ...tls });
  } catch (cause) {
    // A certificate or key that is none throws, where a link is to end with an error.
    return new Socket().destroy(cause instanceof Error ? cause : new Error(String(cause)));
  }
}

function logInTo({ username, password, db }: Endpoint): readonly (readonly string[])[] {
  const auth = username === undefined ? ['AUTH'] : ['AUTH', username];
  return [
    ...(password === undefined && username === undefined ? [] : [[...auth, password ?? '']]),
    ...(db === 0 ? [] : [['SELECT', `${db}`]]),
  ];
}
