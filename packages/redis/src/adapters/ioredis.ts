import type { Dialer, Link, LinkEvents, LinkPurpose } from '../link.ts';
import { KEEP_ALIVE_MS } from '../liveness.ts';
import type { DialerOptions, IoredisClient } from './clients.ts';
import { IoredisLink } from './ioredis-link.ts';

/** Connections through ioredis: each is a duplicate of `client`, which itself is never connected, unless `shareClient`. */
export function ioredisDialer(options: DialerOptions<IoredisClient>): Dialer {
  const { client, shareClient, address, secrets, at } = options;
  return {
    address,
    dial(purpose: LinkPurpose, events: LinkEvents): Link {
      const isOwn = !(shareClient && purpose === 'commands');
      const own = isOwn ? client.duplicate({ ...safeIoredisOptions(), ...at }) : client;
      return new IoredisLink({ client: own, events, secrets, isOwn });
    },
  };
}

/**
 * Returns options under which ioredis makes one connection and sends each command once, at once or never. The empty ones
 * override what the duplicate would inherit from its client.
 */
export function safeIoredisOptions(): object {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    reconnectOnError: null,
    enableAutoPipelining: false,
    keyPrefix: '',
    commandTimeout: undefined,
    socketTimeout: undefined,
    blockingTimeout: undefined,
    // Whoever dials limits it.
    connectTimeout: 0,
    disconnectTimeout: 500,
    keepAlive: KEEP_ALIVE_MS,
    // Its INFO would be refused to a least-privileged user, with a warning on the console; LOADING is an ordinary reply.
    enableReadyCheck: false,
    disableClientInfo: true,
    monitor: false,
    readOnly: false,
    // Replies as RESP2 shapes them.
    protocol: 2,
    replyMapping: 'legacy',
    stringNumbers: false,
    showFriendlyErrorStack: false,
  };
}
