import { type Backend, type Host, StoreRecord, withFencingEpoch } from '@holdfast/core/backend';
import type { Subject } from '@holdfast/harness/simulator';
import { openMoving } from '@holdfast/moving';
import { openRedisSimple } from '@holdfast/redis-simple';

/** A phase of a swap: the locks that a client uses. */
export type Phase = 'old' | 'moving' | 'new';

export interface Mix {
  /** The phases of the clients `a`, `b`, `c` and so on, in turn. */
  readonly phases: readonly Phase[];
  /** When the new store is marked: before the clients come, so many ms later, or not at all. */
  readonly flipped: 'before' | 'never' | number;
  /** Wraps the moving backend's opening, for a mutant. */
  readonly openMoving?: typeof openMoving;
}

/** Moments of a flip while clients work, in ms. */
export const MOMENTS: readonly number[] = [10, 40, 100, 250, 500, 1_000];

const TO_EPOCH = 1;

/** Clients of several phases of a swap from one Redis to another, as one lock under test. */
export function mixedPhases({ phases, flipped, openMoving: open = openMoving }: Mix): Subject {
  return {
    name: `moving, ${phases.join(' and ')}, flipped ${flipped}`,
    nodes: 2,
    renews: true,
    tokens: true,
    keeps: (key) => key.endsWith(':fence') || key.includes(':mark:'),
    open: async ({ nodes }, host) => {
      const [old, next] = await Promise.all(nodes.map((node) => openRedisSimple({ node }, host)));
      if (old === undefined || next === undefined) throw new Error('it needs two servers');
      if (flipped === 'before') await flip(next, host);
      if (typeof flipped === 'number')
        host.runtime.timer(flipped, () => void flip(next, host), { awaited: false });
      const phase = phases[host.label.charCodeAt(0) % phases.length];
      if (phase === 'old') return both(withFencingEpoch(old, host, 0).backend, next);
      if (phase === 'new') return both(withFencingEpoch(next, host, TO_EPOCH).backend, old);
      return await open(
        { from: { backend: old }, to: { backend: next, fencingEpoch: TO_EPOCH } },
        host,
      );
    },
  };
}

/** As `holdfast move flip` does; a store that is down is marked by the next client. */
async function flip(backend: Backend, host: Host): Promise<void> {
  if (backend.marks === undefined) return;
  const record = new StoreRecord(backend.marks, backend.name);
  const deadlineMs = host.runtime.now().monotonicMs + 500;
  try {
    await record.raise(TO_EPOCH, deadlineMs);
    await record.flip(TO_EPOCH, deadlineMs);
  } catch {
    // Until then the tokens of the old store count.
  }
}

/** Closes the store that this phase does not use, too. */
function both(used: Backend, other: Backend): Backend {
  return {
    ...used,
    close: async (options) => {
      await Promise.all([used.close(options), other.close(options)]);
    },
  };
}
