import { LockError } from '@holdfast/core';
import { staleToken, writeUnknown } from '../errors.ts';
import { type Fence, type FencedLease, fenceOf, NAME } from '../fence.ts';

/** A client of ioredis or iovalkey, also of a cluster. */
export interface IoredisEval {
  /** Runs a script. */
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>;
  /** Which only these have. */
  defineCommand: unknown;
}

/** A client of node-redis, also of a cluster. */
export interface NodeRedisEval {
  /** Runs a script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Which only these have. */
  sendCommand: unknown;
}

/** A client of Redis or Valkey. */
export type RedisEval = IoredisEval | NodeRedisEval;

/** Options of a guard on Redis. */
export interface RedisGuardOptions {
  /**
   * Returns the name under which the mark of a lock's key is stored. Default `holdfast:mark:{‹key›}`. On a cluster, all keys
   * that a script uses must be in the slot of its mark: use the hash tag `{‹key›}` in them, or another name here.
   */
  readonly mark?: ((key: string) => string) | undefined;
}

/** A Lua script that writes, with its keys and arguments. */
export interface GuardedScript {
  /** Lua. `KEYS` and `ARGV` are those below; what it returns is returned. */
  readonly source: string;
  /** The keys that it uses. */
  readonly keys: readonly string[];
  /** Its arguments. */
  readonly args?: readonly string[] | undefined;
}

/**
 * KEYS: the mark, then those of the body. ARGV: the token, then those of the body. Returns { 1, what the body returns }, or
 * { 0, the mark } if the token is smaller; nothing is written then. Tokens are texts, compared by length first: `tonumber`
 * makes a double of them, which loses bits beyond 2^53.
 */
const COMPARE = `local token, mark = ARGV[1], redis.call('GET', KEYS[1]) or '0'
if not mark:find('^%d+$') then return redis.error_reply('NOMARK ' .. KEYS[1] .. ' holds something else than a token') end
if #token < #mark or (#token == #mark and token < mark) then return {0, mark} end
redis.call('SET', KEYS[1], token)
local function body(KEYS, ARGV)
`;
const CALL = `
end
return {1, body({unpack(KEYS, 2)}, {unpack(ARGV, 2)})}`;

/**
 * Refuses late holders on Redis or Valkey. A script compares the token with the mark of the lock's key, and runs yours only
 * if it is not smaller. Scripts are not transactions over several calls: raise the mark before you read.
 *
 * The mark must not be evicted: `maxmemory-policy noeviction`.
 * @example
 * ```ts
 * const guard = redisGuard(ioredis);
 * await locks.use('stock/42', async (lease) => {
 *   await guard.admit(lease); // from here on, no older holder can write
 *   const n = Number(await ioredis.get('stock:{stock/42}'));
 *   await guard.set(lease, 'stock:{stock/42}', `${n - 1}`);
 * });
 * ```
 */
export class RedisGuard {
  readonly #client: RedisEval;
  readonly #mark: (key: string) => string;

  constructor(client: RedisEval, { mark = defaultMark }: RedisGuardOptions = {}) {
    this.#client = client;
    this.#mark = mark;
  }

  /**
   * Raises the mark. Read after it: what was read before may be overwritten by an older holder.
   * @example
   * ```ts
   * await redisGuard(ioredis).admit(lease);
   * ```
   * @throws as {@link RedisGuard.run}
   */
  async admit(lease: FencedLease): Promise<void> {
    await this.run(lease, { source: 'return 1', keys: [] });
  }

  /**
   * Writes a text.
   * @example
   * ```ts
   * await redisGuard(ioredis).set(lease, 'stock:{stock/42}', '7');
   * ```
   * @throws as {@link RedisGuard.run}
   */
  async set(lease: FencedLease, key: string, value: string): Promise<void> {
    const source = "redis.call('SET', KEYS[1], ARGV[1])";
    await this.run(lease, { source, keys: [key], args: [value] });
  }

  /**
   * Runs a script of yours behind the compare, in one step.
   * @example
   * ```ts
   * const left = await redisGuard(ioredis).run(lease, {
   *   source: "return redis.call('DECR', KEYS[1])",
   *   keys: ['stock:{stock/42}'],
   * });
   * ```
   * @throws StaleTokenError: nothing was written. WriteUnknownError: no reply came. CapabilityError: the lease has no token.
   *   Errors of the server as the client throws them
   */
  async run(lease: FencedLease, { source, keys, args = [] }: GuardedScript): Promise<unknown> {
    const fence = fenceOf(lease.key, lease.fencingToken);
    const allKeys = [this.#mark(fence.key), ...keys];
    const reply = await this.#eval(fence, COMPARE + source + CALL, allKeys, [
      `${fence.token}`,
      ...args,
    ]);
    if (!Array.isArray(reply)) throw new LockError('ERR', `${NAME}: an unknown reply`, fence);
    const [isAdmitted, result]: readonly unknown[] = reply;
    if (isAdmitted !== 1) throw staleToken(fence, BigInt(String(result)));
    return result ?? null;
  }

  async #eval(fence: Fence, script: string, keys: string[], args: string[]): Promise<unknown> {
    try {
      if ('defineCommand' in this.#client)
        return await this.#client.eval(script, keys.length, ...keys, ...args);
      return await this.#client.eval(script, { keys, arguments: args });
    } catch (error) {
      if (isReply(error)) throw error;
      throw writeUnknown([fence], error);
    }
  }
}

/**
 * A guard on Redis or Valkey.
 * @example
 * ```ts
 * await redisGuard(ioredis).set(lease, 'stock:{stock/42}', '7');
 * ```
 */
export function redisGuard(client: RedisEval, options: RedisGuardOptions = {}): RedisGuard {
  return new RedisGuard(client, options);
}

/** Braces in a key would end the hash tag early, or be one. */
function defaultMark(key: string): string {
  return `holdfast:mark:{${key.replaceAll(/[%{}]/g, encodeURIComponent)}}`;
}

/** A reply of the server: `ReplyError` of ioredis, `ErrorReply` and `SimpleError` of node-redis. Their texts begin with a code. */
function isReply(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,}[A-Z\d]* /.test(error.message);
}
