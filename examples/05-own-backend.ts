// A backend of your own, and the suite that checks its promises. This one stores its locks in a Map; any store that can
// compare and set will do. First with a common mistake, then without it. Run it: npm run example 05

import { checkBackend } from '@holdfast/conformance';
import type {
  Attempt,
  Backend,
  Capabilities,
  Host,
  Instant,
  Release,
} from '@holdfast/core/backend';
import { checkTtl, ownerValue, validityMs } from '@holdfast/core/backend';

type Store = Map<string, { owner: string; from: Instant; ttlMs: number }>;
const capabilities: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'process',
  consistency: 'cp',
  fencing: 'none',
  queue: 'none',
  wakeUp: 'poll',
};

function openMapLocks(store: Store, releaseBy: 'key' | 'owner', { runtime, label }: Host): Backend {
  const holder = (key: string): string | undefined => {
    const entry = store.get(key);
    return entry && runtime.elapsedMs(entry.from) < entry.ttlMs ? entry.owner : undefined;
  };
  const contend: Backend['contend'] = ({ key, contender, ttlMs = 30_000 }) => {
    checkTtl(ttlMs, key, 'map');
    const owner = ownerValue({ contender, n: 1, label });
    const attempt = async (): Promise<Attempt> => {
      if (holder(key) !== undefined) return { kind: 'busy' };
      const from = runtime.now();
      store.set(key, { owner, from, ttlMs });
      const validity = { from, ms: validityMs(ttlMs) };
      return { kind: 'granted', grant: { owner, leaseMs: ttlMs, validity, release } };
    };
    const release = async (): Promise<Release> => {
      const isMine = holder(key) !== undefined && (releaseBy === 'key' || holder(key) === owner);
      return { kind: isMine && store.delete(key) ? 'released' : 'not-held' };
    };
    return { attempt, withdraw: async () => ({ kind: 'clean' }) };
  };
  return { name: 'map', capabilities, contend, close: async () => {} };
}

for (const releaseBy of ['key', 'owner'] as const) {
  const outcomes = await checkBackend(() => {
    const store: Store = new Map();
    return { capabilities, ttlMs: 100, open: async (host) => openMapLocks(store, releaseBy, host) };
  });
  const broken = outcomes.filter(({ kind }) => kind === 'broken');
  console.log(`released by ${releaseBy}: ${broken.length === 0 ? 'keeps its contract' : 'broken'}`);
  for (const { check, reason } of broken) console.log(`- ${check}: ${reason}`);
}
