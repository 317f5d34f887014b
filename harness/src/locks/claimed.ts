import {
  type AcquireOptions,
  BackendUnavailableError,
  type Lease,
  type Locks,
  type LocksOptions,
  type Requirement,
  type TokenOf,
} from '@holdfast/core';
import {
  type Backend,
  createHost,
  createLocks,
  type Host,
  type ListenableHost,
  MemoryStore,
} from '@holdfast/core/backend';
import type { RedisNode, Script } from '@holdfast/redis/port';
import { Lazy } from '../simulator/index.ts';
import type { LockUnderTest, LockView } from './lock.ts';

const recipe = new Lazy(() => import('./recipes/redis-simple.ts'));

/** KEYS[1] the counter of a key's claims. Returns the number of this claim. */
const CLAIM: Script = { name: 'claim', source: `return redis.call('INCR', KEYS[1])` };
/** The deadline of a claim; a lease does not wait for it. */
const CLAIM_MS = 10_000;

type Claim = (key: string) => Promise<bigint>;
const CLAIMS = new WeakMap<Backend, Claim>();

/**
 * redis-simple under the rule that antirez proposes instead of tokens that grow (http://antirez.com/news/101): the new
 * holder first swaps a random token into the resource, and the resource accepts a write only while that very token is
 * still in it. A resource that compares numbers refuses the same writes if the claims are numbered in their order.
 */
export const claimed: LockUnderTest = {
  name: 'redis-simple-claimed',
  kind: 'debated',
  needs: 'redis',
  on: [
    {
      id: 'redis-simple-claimed',
      nodes: 1,
      meaning: 'redis-simple, whose holder swaps a token into the resource',
    },
  ],
  load: () => recipe.load(),
  open: openClaimed,
  promises: {
    renews: true,
    tokens: true,
    core: { createHost, createLocks: claimingLocks, MemoryStore },
  },
  wire: { points: ['acquire', 'claim', 'renew', 'release'] },
};

async function openClaimed({ node }: LockView, host: Host): Promise<Backend> {
  const backend = await recipe.module.openRedisSimple({ node }, host);
  CLAIMS.set(backend, (key) => claim(key, node, host));
  return backend;
}

async function claim(key: string, node: RedisNode, { runtime }: Host): Promise<bigint> {
  const deadlineMs = runtime.now().monotonicMs + CLAIM_MS;
  return BigInt(String(await node.script(CLAIM, [`{${key}}:claims`], [], { deadlineMs })));
}

/** The claim follows the acquisition and is not part of it, so it may arrive late without the holder's knowledge. */
function claimingLocks<const R extends readonly Requirement[] = readonly []>(
  backend: Backend,
  host: ListenableHost,
  options?: LocksOptions<R>,
): Locks<TokenOf<R>> {
  const locks = createLocks(backend, host, options);
  const acquire = locks.acquire.bind(locks);
  const claimsToo = async (key: string, more?: AcquireOptions): Promise<Lease<TokenOf<R>>> =>
    await claiming(await acquire(key, more), backend);
  return Object.assign(locks, { acquire: claimsToo });
}

async function claiming<T extends bigint | undefined>(
  lease: Lease<T>,
  backend: Backend,
): Promise<Lease<T>> {
  const { key } = lease;
  try {
    const fencingToken = await CLAIMS.get(backend)?.(key);
    return Object.defineProperty(lease, 'fencingToken', { value: fencingToken });
  } catch (cause) {
    await lease.release();
    throw new BackendUnavailableError(`the claim of "${key}" got no reply`, {
      key,
      backend: backend.name,
      cause,
    });
  }
}
