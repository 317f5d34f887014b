import { type Backend, createHost, createLocks, MemoryStore } from '@holdfast/core';
import type { Subject, SubjectCore } from '@holdfast/harness/simulator';
import { inside } from './inside.ts';
import { patienceOf } from './patience.ts';
import type { Peer, PeerLibrary } from './peer.ts';
import { PeerLocks, type PeerLocksOptions } from './peer-locks.ts';
import { roadsOf } from './roads.ts';

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
      process: roadsOf(host.runtime).process,
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
      const { process, addresses } = roadsOf(host.runtime);
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
