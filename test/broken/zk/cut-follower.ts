import type { openZk } from '@holdfast/zk';
import { CutEnsemble, T_MS, TICK_MS } from './cut-ensemble.ts';

/** A client that is silent for so long is not given up yet, and the leader has heard nothing of its session meanwhile. */
const PAUSE_MS = 0.6 * T_MS;
/** Somewhere between two of a follower's reports, half a tick apart. */
const PHASES = 5;
const STEP_MS = TICK_MS / 2 / PHASES;

interface CutTiming {
  /** The true time at which its follower is cut off, or at which the pause before that begins. */
  readonly atMs: number;
  /** True if the holder is paused just before it is granted the key; else it has held and renewed for long. */
  readonly isPaused: boolean;
}

/**
 * A holds at a follower that is cut from its leader; B waits at the leader. What is wrong if B gets the key while A's
 * lease is valid by A's own clock; undefined if it never does.
 */
export async function cutFollower(
  open: typeof openZk,
  isPaused: boolean,
): Promise<string | undefined> {
  for (let phase = 0; phase < PHASES; phase++) {
    const leftMs = await played(open, { atMs: 2 * T_MS + phase * STEP_MS, isPaused });
    if (leftMs > 0) return `two leases are valid at once, for ${Math.round(leftMs)} ms`;
  }
  return undefined;
}

/** The rest of A's lease when B is granted the key. */
async function played(open: typeof openZk, { atMs, isPaused }: CutTiming): Promise<number> {
  const place = new CutEnsemble(open);
  const { follower, leader, network, world } = place;
  let leftMs = 0;
  await world.run(async () => {
    const [a, b] = [world.process('a'), world.process('b')];
    const [locks, others] = [await place.locksOf(a, follower), await place.locksOf(b, leader)];
    const early = isPaused ? undefined : await locks.acquire('k');
    await world.advance(atMs - world.nowMs);
    if (isPaused) {
      await locks.health();
      a.pause(PAUSE_MS);
      await world.advance(PAUSE_MS);
    }
    const lease = early ?? (await locks.acquire('k'));
    network.cut(follower, leader);
    const second = await others.acquire('k', { waitMs: 600_000 });
    leftMs = lease.remainingMs();
    await second.release();
  });
  return leftMs;
}
