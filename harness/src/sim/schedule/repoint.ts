import type { Arena } from './arena.ts';
import type { Repointing } from './schedule.ts';

/** Addresses lead to the server of another node for a while. */
export function repoint(arena: Arena, { nodes, to, ms }: Repointing): void {
  const { cluster, world } = arena;
  if (arena.isCalm || cluster.repoint?.(nodes, ms, to) !== true) return;
  // Nobody waits for less while connections are reset and nodes are looked at anew.
  arena.promptness = undefined;
  arena.repointedUntilMs = Math.max(arena.repointedUntilMs, world.nowMs + ms);
}
