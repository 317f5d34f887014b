import type { Dialer } from '../link.ts';
import type { DialerOptions, RedisClient } from './clients.ts';
import type { KnownClient } from './load.ts';

const loaded: {
  ioredis?: typeof import('./ioredis.ts');
  redis?: typeof import('./node-redis.ts');
} = {};

/** Loads what connects through a library, before the first dialer through it. The other one's is not loaded. */
export async function loadAdapter(library: KnownClient['library']): Promise<void> {
  if (library === 'ioredis') loaded.ioredis ??= await import('./ioredis.ts');
  if (library === 'redis') loaded.redis ??= await import('./node-redis.ts');
}

/** Returns a dialer through the library of `known`. */
export function dialerFor(
  known: KnownClient,
  options: Omit<DialerOptions<RedisClient>, 'client'>,
): Dialer {
  if (known.library === 'resp') return known.client.dialer(options);
  const dialer =
    known.library === 'ioredis'
      ? loaded.ioredis?.ioredisDialer({ ...options, client: known.client })
      : loaded.redis?.nodeRedisDialer({ ...options, client: known.client });
  if (dialer === undefined) throw new Error(`await loadAdapter('${known.library}') first`);
  return dialer;
}
