import { type Backend, createHost, createLocks, MemoryStore } from '@holdfast/core';
import type { LivenessBounds, Subject, SubjectCore } from '@holdfast/harness/simulator';
import { inside } from './current-process.ts';
import { networkAccessOf } from './network-access.ts';
import type { Peer, PeerLibrary } from './peer.ts';
import { PeerLocks, type PeerLocksOptions } from './peer-locks.ts';

/** What stands in a backend's place: the simulator asks it only how long its leases are. */
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
      // Our own way to the servers, which nobody needs here.
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

/** As for ours, `harness/src/locks`: clocks may run wrong by so much. */
const DRIFT = 1.5;
const SPARE_MS = 10;
/** ioredis gives up dialling after 10 s, node-redis after 5; either then pauses for 2 s at most. */
const LINK_MS = 10_000 + 2_000;
/** A release, and an attempt: twice each, where the server has forgotten a script. */
const WAYS = 8;
/** As for ours: so many split votes in a row are rarer than one in a million. */
const SPLITS_MAX = 10;

/**
 * How long whoever waits may have to wait for a key that nobody holds: what the library's own settings and the clients'
 * defaults make of it, by the same reckoning as for our own. What nobody alive holds ends with its ttl.
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
