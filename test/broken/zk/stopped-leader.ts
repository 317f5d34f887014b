import type { Lease } from '@holdfast/core';
import type { openZk } from '@holdfast/zk';
import { CutEnsemble, T_MS, TICK_MS } from './cut-ensemble.ts';

/** A client that is silent for so long is not given up yet, and the leader has heard nothing of its session meanwhile. */
const PAUSE_MS = 0.6 * T_MS;
/** Longer than what a leader takes from one ping of its followers to the next, and than T/4. */
const STOPPED_MS = 0.25 * T_MS + 60;
/** Follower and leader have a message of the client by then. */
const FORWARDED_MS = 10;
const PHASES = 5;
const STEP_MS = TICK_MS / 2 / PHASES;

/**
 * A is paused, sends its follower a request, and requests the key while the leader is paused. When the leader resumes it no
 * longer hears the follower, which hears it. Returns what is wrong if B is granted the key while A's lease is valid.
 */
export async function stoppedLeader(open: typeof openZk): Promise<string | undefined> {
  for (let phase = 0; phase < PHASES; phase++) {
    const leftMs = await played(open, 2 * T_MS + phase * STEP_MS);
    if (leftMs > 0) return `two leases are valid at once, for ${Math.round(leftMs)} ms`;
  }
  return undefined;
}

/** The rest of A's lease when B is granted the key. */
async function played(open: typeof openZk, atMs: number): Promise<number> {
  const place = new CutEnsemble(open);
  const { follower, leader, network, world } = place;
  let leftMs = 0;
  await world.run(async () => {
    const [a, b] = [world.process('a'), world.process('b')];
    const [locks, others] = [await place.locksOf(a, follower), await place.locksOf(b, leader)];
    await locks.use('k', () => undefined);
    await world.advance(atMs - world.nowMs);
    await locks.use('k', () => undefined);
    a.pause(PAUSE_MS);
    await world.advance(PAUSE_MS);
    await locks.inspect('k');
    leader.stop(STOPPED_MS + FORWARDED_MS);
    await world.advance(STOPPED_MS);
    let lease: Lease | undefined;
    const acquiring = locks.acquire('k', { waitMs: 2 * T_MS }).then(
      (granted) => {
        lease = granted;
      },
      () => undefined,
    );
    await world.advance(FORWARDED_MS / 2);
    network.cut(follower, leader, { oneWay: true });
    const second = await others.acquire('k', { waitMs: 600_000 });
    leftMs = lease?.remainingMs() ?? 0;
    await second.release();
    await acquiring;
  });
  return leftMs;
}
