import type { Run } from './run.ts';
import type { Repointing } from './schedule.ts';

/** Addresses lead to the server of another node for a while. */
export function repoint(run: Run, { nodes, to, ms }: Repointing): void {
  const { cluster, world } = run;
  if (run.areFaultsOver || cluster.repoint?.(nodes, ms, to) !== true) return;
  // Nobody waits for less while connections are reset and nodes are looked at anew.
  run.handoverMonitor = undefined;
  run.repointedUntilMs = Math.max(run.repointedUntilMs, world.nowMs + ms);
}
