import type { Runtime } from '@holdfast/core';
import type { RedisNode, Reply, Script } from '@holdfast/redis/port';

/** The deadline of a call to the stock, in ms. */
const CALL_MS = 10_000;

/**
 * KEYS[1] the stock, KEYS[2] the largest token seen; ARGV[1] a token.
 * Returns the stock, or nil if a larger token has been seen.
 */
const FENCED_READ: Script = {
  name: 'fenced-read',
  source: `local seen = redis.call('GET', KEYS[2])
if seen and tonumber(seen) > tonumber(ARGV[1]) then return false end
redis.call('SET', KEYS[2], ARGV[1])
return redis.call('GET', KEYS[1])`,
};

/** KEYS and ARGV[1] as above, ARGV[2] the new stock. Returns 1, or 0 if a larger token has been seen. */
const FENCED_WRITE: Script = {
  name: 'fenced-write',
  source: `local seen = redis.call('GET', KEYS[2])
if seen and tonumber(seen) > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('SET', KEYS[1], ARGV[2])
return 1`,
};

/**
 * KEYS[1] the stock; ARGV[1] the expected stock, ARGV[2] the new stock. Returns 1, or 0 if the stock is not the
 * expected one.
 */
const COMPARE_AND_SET: Script = {
  name: 'compare-and-set',
  source: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`,
};

/** The stock of each product, in Redis. */
export class Stock {
  readonly #node: RedisNode;
  readonly #runtime: Runtime;

  constructor(node: RedisNode, runtime: Runtime) {
    this.#node = node;
    this.#runtime = runtime;
  }

  async read(product: string): Promise<number> {
    return Number(await this.#send('GET', keyOf(product)));
  }

  async write(product: string, left: number): Promise<void> {
    await this.#send('SET', keyOf(product), `${left}`);
  }

  /** Takes one; returns what is left, negative if there was none. */
  async decrement(product: string): Promise<number> {
    return Number(await this.#send('DECR', keyOf(product)));
  }

  /** Reads the stock; undefined if a larger token has been seen. */
  async readFenced(product: string, token: bigint): Promise<number | undefined> {
    const reply = await this.#run(FENCED_READ, product, `${token}`);
    return reply === null ? undefined : Number(reply);
  }

  async writeFenced(product: string, token: bigint, left: number): Promise<boolean> {
    return (await this.#run(FENCED_WRITE, product, `${token}`, `${left}`)) === 1;
  }

  /** Writes if the stock is still `was`. The stock is its own version, because it only falls. */
  async compareAndSet(product: string, was: number, left: number): Promise<boolean> {
    return (await this.#run(COMPARE_AND_SET, product, `${was}`, `${left}`)) === 1;
  }

  #send(...command: readonly string[]): Promise<Reply> {
    return this.#node.command(command, { deadlineMs: this.#deadlineMs });
  }

  #run(script: Script, product: string, ...args: readonly string[]): Promise<Reply> {
    const keys = [keyOf(product), `${keyOf(product)}:token`].slice(
      0,
      script === COMPARE_AND_SET ? 1 : 2,
    );
    return this.#node.script(script, keys, args, { deadlineMs: this.#deadlineMs });
  }

  get #deadlineMs(): number {
    return this.#runtime.now().monotonicMs + CALL_MS;
  }
}

/** The key of a product's stock. */
export function keyOf(product: string): string {
  return `{shop}:stock:${product}`;
}
