import type { IoredisClient, NodeRedisClient } from './clients.ts';
import type { RecognisedClient } from './load.ts';
import { propertyOf } from './reply.ts';

/** Returns the options of a client that make it unsafe to use as it is; empty if there are none. */
export function unsafeOptions(known: RecognisedClient): string[] {
  return known.library === 'ioredis' ? ofIoredis(known.client) : ofNodeRedis(known.client);
}

function ofIoredis(client: IoredisClient): string[] {
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

function ofNodeRedis(client: NodeRedisClient): string[] {
  return propertyOf(client.options, 'disableOfflineQueue') === true
    ? []
    : ['disableOfflineQueue (must be true)'];
}
