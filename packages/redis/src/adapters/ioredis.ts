import type { Dialer, Link, LinkEvents, LinkPurpose } from '../link.ts';
import { KEEP_ALIVE_MS } from '../liveness.ts';
import type { DialerOptions, IoredisClient } from './clients.ts';
import { IoredisLink } from './ioredis-link.ts';
import { propertyOf } from './reply.ts';

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

/** Returns the options of a client that make it unsafe to use as it is; empty if there are none. */
export function unsafeIoredisOptions(client: IoredisClient): string[] {
  const option = (name: string): unknown => propertyOf(client.options, name);
  const isUnsafe: Record<string, boolean> = {
    'enableOfflineQueue (must be false)': option('enableOfflineQueue') !== false,
    'autoResendUnfulfilledCommands (must be false)':
      option('autoResendUnfulfilledCommands') !== false,
    'reconnectOnError (must not be set)': typeof option('reconnectOnError') === 'function',
    'commandTimeout (must not be set)': typeof option('commandTimeout') === 'number',
    'enableAutoPipelining (must be false)': option('enableAutoPipelining') === true,
    'keyPrefix (must be empty)': (option('keyPrefix') ?? '') !== '',
    'stringNumbers (must be false)': option('stringNumbers') === true,
    "replyMapping (must be 'legacy')": option('replyMapping') === 'resp3',
    'monitor (must be false)': option('monitor') === true,
    // If SELECT is refused, ioredis continues in database 0, where the others' locks are not.
    'db (must be 0)': (option('db') ?? 0) !== 0,
  };
  return Object.keys(isUnsafe).filter((name) => isUnsafe[name]);
}
