import type { Arena } from './arena.ts';
import type { Repointing } from './schedule.ts';

/** Addresses lead to the server of another node for a while. */
export function repoint(arena: Arena, { nodes, to, ms }: Repointing): void {
  const { machines, world } = arena;
  const target = machines.address(to);
  if (arena.isCalm || target === undefined) return;
  // Nobody waits for less while connections are reset and nodes are looked at anew.
  arena.promptness = undefined;
  arena.repointedUntilMs = Math.max(arena.repointedUntilMs, world.nowMs + ms);
  for (const service of machines.at(nodes)) world.after(ms, service.leadTo(target));
}
