import { redisGuard } from '@holdfast/guard';
import {
  type CheckedStore,
  checkedWrites,
  type GuardSubject,
  isAdmitted,
  KEY,
  ROWS,
  unlessRefused,
} from '@holdfast/harness/guards';
import { Redis } from 'ioredis';
import { RedisServer } from '../../kit/real-servers.ts';

/** The mistake: neighbours beyond 2^53 are equal. */
const AS_DOUBLES = `
if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[1]) or '0') then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
if KEYS[2] then redis.call('SET', KEYS[2], ARGV[2]) end
return 1`;

/** A Redis server with the rows and the marks. */
export class GuardedRedis {
  readonly #server: RedisServer;
  readonly #redis: Redis;
  /** Replies come in the order of the scripts: there is one connection. */
  #positions = 0;

  private constructor(server: RedisServer) {
    this.#server = server;
    this.#redis = new Redis(server.url);
  }

  static async start(): Promise<GuardedRedis> {
    return new GuardedRedis(await RedisServer.start());
  }

  guarded(): GuardSubject {
    const guard = redisGuard(this.#redis);
    return checkedWrites({
      ...this.#store('redis', 'guard'),
      admit: (fencingToken) => isAdmitted(() => guard.admit({ key: KEY, fencingToken })),
      write: (row, value, fencingToken) =>
        unlessRefused(async () => {
          await guard.set({ key: KEY, fencingToken }, row, `${value}`);
          return ++this.#positions;
        }),
    });
  }

  comparedAsDoubles(): GuardSubject {
    const run = async (token: bigint, row: readonly string[], value: readonly string[]) =>
      (await this.#redis.eval(AS_DOUBLES, 1 + row.length, 'mark', ...row, `${token}`, ...value)) ===
      1;
    return checkedWrites({
      ...this.#store('redis, compared as doubles', 'exhibit'),
      admit: (token) => run(token, [], []),
      write: async (row, value, token) =>
        (await run(token, [row], [`${value}`])) ? ++this.#positions : 'refused',
    });
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
    await this.#server.close();
  }

  #store(
    name: string,
    kind: CheckedStore['kind'],
  ): Omit<CheckedStore, 'admit' | 'write' | 'waiting'> {
    return {
      name,
      kind,
      read: async (row) => Number(await this.#redis.get(row)),
      reset: async () => void (await this.#redis.flushall()),
      values: async () => (await this.#redis.mget(...ROWS)).map(Number),
    };
  }
}
