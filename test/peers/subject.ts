import { type Backend, createHost, createLocks, MemoryStore } from '@holdfast/core/backend';
import type { LivenessBounds, Subject, SubjectCore } from '@holdfast/harness/simulator';
import { inside } from './current-process.ts';
import { networkAccessOf } from './network-access.ts';
import type { Peer, PeerLibrary } from './peer.ts';
import { PeerLocks, type PeerLocksOptions } from './peer-locks.ts';

/** Replaces a backend: the simulator reads only the length of its leases. */
interface PeerBackend {
  readonly capabilities: Pick<Backend['capabilities'], 'lease'>;
  readonly peer: Peer;
}

/** The library itself takes the place of our `Locks`, so that nothing of ours mends what it does. */
const CORE: SubjectCore = {
  createHost,
  MemoryStore,
  createLocks: ((
    backend: PeerBackend,
    host: Parameters<typeof createLocks>[1],
    options: PeerLocksOptions,
  ) =>
    new PeerLocks(backend.peer, {
      process: networkAccessOf(host.runtime).process,
      ttlMs: options.ttlMs,
      waitMs: options.waitMs,
    })) as unknown as typeof createLocks,
};

/** A library as a lock on trial. The surroundings have to be redirected while it is played. */
export function subjectOf(library: PeerLibrary): Subject {
  const { name, nodes, renews, tokens, labels, points } = library;
  return {
    name,
    nodes,
    renews,
    tokens,
    labels,
    points,
    patience: patienceOf(library),
    core: CORE,
    open: async ({ nodes: finished }, host) => {
      const { process, addresses } = networkAccessOf(host.runtime);
      // Connections of our own recipes, which are not used here.
      for (const node of finished) void node.close();
      const peer = await new Promise<Peer>((resolve, reject) => {
        // Every process has to begin by itself: what is woken together shares its surroundings.
        process.deliver('open', () => {
          void inside(process, () => library.open([...addresses.keys()])).then(resolve, reject);
        });
      });
      const backend: PeerBackend = { capabilities: { lease: 'per-call-ttl' }, peer };
      return backend as unknown as Backend;
    },
  };
}

/** The largest factor between two clocks, as for ours in `harness/src/locks`. */
const DRIFT = 1.5;
const SPARE_MS = 10;
/** ioredis gives up dialling after 10 s, node-redis after 5; either then pauses for 2 s at most. */
const LINK_MS = 10_000 + 2_000;
/** Messages of a release and an attempt: twice each, if the server has lost a script. */
const WAYS = 8;
/** As for ours: this many split votes in a row are rarer than one in a million. */
const SPLITS_MAX = 10;

/**
 * Returns the longest time that a waiter may wait for a free key, from the library's own settings and the clients' defaults,
 * calculated as for our own. The hold of a dead client ends with its ttl.
 */
function patienceOf({ pollMs, nodes }: Pick<PeerLibrary, 'pollMs' | 'nodes'>): LivenessBounds {
  const rounds = (waiters: number): number => (nodes > 1 && waiters > 1 ? SPLITS_MAX : 1);
  return {
    settleMs: ({ ttlMs, jumpedMs, latencyMs, waiters }) =>
      DRIFT * (ttlMs + jumpedMs + LINK_MS + rounds(waiters) * pollMs(ttlMs)) + WAYS * latencyMs,
    handoverMs: ({ ttlMs, latencyMs, waiters }) =>
      DRIFT * rounds(waiters) * pollMs(ttlMs) + rounds(waiters) * WAYS * latencyMs + SPARE_MS,
  };
}
