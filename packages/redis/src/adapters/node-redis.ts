import type { Dialer, Link, LinkEvents, LinkPurpose } from '../link.ts';
import { KEEP_ALIVE_MS } from '../liveness.ts';
import type { DialerOptions, HostPort, NodeRedisClient } from './clients.ts';
import { NodeRedisLink } from './node-redis-link.ts';
import { propertyOf } from './reply.ts';

/** Connections through node-redis: each is a duplicate of `client`, which itself is never connected, unless `shareClient`. */
export function nodeRedisDialer(options: DialerOptions<NodeRedisClient>): Dialer {
  const { client, shareClient, address, secrets, at } = options;
  return {
    address,
    dial(purpose: LinkPurpose, events: LinkEvents): Link {
      const isOwn = !(shareClient && purpose === 'commands');
      if (!isOwn) return new NodeRedisLink({ client, events, secrets, socket: undefined });
      const socket = new AbortController();
      const own = client.duplicate(safeNodeRedisOptions(client, socket.signal, at));
      return new NodeRedisLink({ client: own, events, secrets, socket });
    },
  };
}

/**
 * Returns options under which node-redis makes one connection and sends each command once, soon or never. The empty ones
 * override what the duplicate would inherit from its client. `signal` aborts the socket.
 */
export function safeNodeRedisOptions(
  client: NodeRedisClient,
  signal: AbortSignal,
  at?: HostPort,
): object {
  const socket = propertyOf(client.options, 'socket');
  return {
    socket: {
      ...(typeof socket === 'object' ? socket : undefined),
      ...at,
      // Whoever dials limits it.
      connectTimeout: 0,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      socketTimeout: undefined,
      reconnectStrategy: false,
      signal,
    },
    disableOfflineQueue: true,
    // Its own timeout costs an AbortSignal per command and ends when the command is written.
    commandOptions: { timeout: 0 },
    // Bounded by the calls' deadlines.
    commandsQueueMaxLength: undefined,
    pingInterval: undefined,
    disableClientInfo: true,
    readonly: false,
    // Replies as RESP2 shapes them; the rest of this needs RESP3.
    RESP: 2,
    clientSideCache: undefined,
    emitInvalidate: false,
    maintNotifications: 'disabled',
  };
}
