import type { Capabilities } from '../api/capabilities.ts';
import type { Inspection } from '../api/reports.ts';
import { BackendUnavailableError } from '../errors.ts';
import { checkTtl } from '../options.ts';
import { parseOwner } from '../owner.ts';
import type { Backend, Host, Marks } from '../port.ts';
import { callDeadlineMs, TTL_MS_DEFAULT } from '../validity.ts';
import { MemoryClient, type MemoryLink } from './client.ts';
import { MemoryContender } from './contender.ts';
import { MemoryStore } from './store.ts';

/** Options of the in-memory backend. */
export interface MemoryOptions {
  /** Several `Locks` exclude each other if they share a store. Default: a new store. */
  readonly store?: MemoryStore | undefined;
  /** How the store is reached; default: at once. The simulator puts a network here. */
  readonly link?: MemoryLink | undefined;
}

const CAPABILITIES: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'process',
  consistency: 'cp',
  fencing: 'strict',
  queue: 'none',
  wakeUp: 'push',
  modes: ['shared', 'permits'],
  survives: [
    'none',
    'pause',
    'pause-acquire',
    'loop-block',
    'client-clock',
    'holder-crash',
    'suspend',
  ],
};

/**
 * Locks within one process: the executable specification of the `Backend` contract.
 * @example
 * ```ts
 * const store = new MemoryStore(() => performance.now()); // shared, so both exclude each other
 * const first = await openMemory({ store }, createHost({ label: 'first' }));
 * const second = await openMemory({ store }, createHost({ label: 'second' }));
 * ```
 */
export async function openMemory(options: MemoryOptions, host: Host): Promise<Backend> {
  const { runtime } = host;
  const store = options.store ?? new MemoryStore(() => runtime.now().monotonicMs);
  const client = new MemoryClient(store, runtime, options.link);
  const operatorDeadlineMs = (): number => runtime.now().monotonicMs + callDeadlineMs(undefined);
  return {
    name: 'memory',
    capabilities: CAPABILITIES,
    evicts: false,
    contend: ({ key, contender, ttlMs = TTL_MS_DEFAULT, mode }) => {
      checkTtl(ttlMs, key, 'memory');
      return new MemoryContender(client, host, { key, contender, ttlMs, mode });
    },
    adopt: ({ key, contender, ttlMs = TTL_MS_DEFAULT, exported, mode }) => {
      checkTtl(ttlMs, key, 'memory');
      return new MemoryContender(client, host, { key, contender, ttlMs, exported, mode });
    },
    inspect: async (key) =>
      inspection(key, await client.call('inspect', operatorDeadlineMs(), (s) => s.inspect(key))),
    forceRelease: async (key) => {
      const held = await client.call('force', operatorDeadlineMs(), (s) => s.force(key));
      return { kind: held ? 'released' : 'not-held' };
    },
    health: async () => {
      const ok = await isReachable(client, operatorDeadlineMs());
      return { ok, nodes: [{ node: 'memory', ok }] };
    },
    heldKeys: async function* () {
      yield await client.call('list', operatorDeadlineMs(), (s) => s.heldKeys());
    },
    marks: marksOf(client),
    close: async () => {},
  };
}

function marksOf(client: MemoryClient): Marks {
  const call = async <T>(deadlineMs: number, effect: (store: MemoryStore) => T): Promise<T> => {
    try {
      return await client.call('mark', deadlineMs, effect);
    } catch (cause) {
      const message = 'memory: no reply about a mark of the store';
      throw new BackendUnavailableError(message, { backend: 'memory', cause });
    }
  };
  return {
    read: (name, deadlineMs) => call(deadlineMs, (store) => store.readMark(name)),
    write: (name, value, deadlineMs) => call(deadlineMs, (store) => store.writeMark(name, value)),
  };
}

/** True if the store replies in time; over a link it may not. */
async function isReachable(client: MemoryClient, deadlineMs: number): Promise<boolean> {
  try {
    return await client.call('health', deadlineMs, () => true);
  } catch {
    return false;
  }
}

function inspection(key: string, found: ReturnType<MemoryStore['inspect']>): Inspection {
  if (found === undefined) return { key, held: false };
  const { owner, token, remainingMs, waiters } = found;
  return {
    key,
    held: true,
    owner,
    holder: parseOwner(owner)?.label,
    remainingMs,
    fencingToken: token,
    waiters,
  };
}
