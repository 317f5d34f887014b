import type { Dialer } from '../link.ts';
import type { DialerOptions, RedisClient } from './clients.ts';
import { ioredisDialer } from './ioredis.ts';
import type { KnownClient } from './load.ts';
import { nodeRedisDialer } from './node-redis.ts';

/** Returns a dialer through the library of `known`. */
export function dialerFor(
  known: KnownClient,
  options: Omit<DialerOptions<RedisClient>, 'client'>,
): Dialer {
  if (known.library === 'resp') return known.client.dialer(options);
  return known.library === 'ioredis'
    ? ioredisDialer({ ...options, client: known.client })
    : nodeRedisDialer({ ...options, client: known.client });
}
