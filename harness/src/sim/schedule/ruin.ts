import type { Network } from '../net/network.ts';
import type { Arena } from './arena.ts';
import type { Member } from './cluster.ts';
import { type Aftermath, type ClientId, lettersOf } from './schedule.ts';

/** Longer than anybody looks. */
const FOR_GOOD_MS = 100_000_000;
/** Of the ttl: whatever is asked of a slow node is answered when nobody can use the answer any more. */
const SLOW_TTLS = 2;

/** Breaks for good what the aftermath says; returns the nodes that are broken. */
export function ruin(arena: Arena, aftermath: Aftermath): readonly Member[] {
  const servers = arena.cluster.serving(aftermath.nodes);
  for (const server of servers) ruinServer(arena, server, aftermath);
  for (const id of lettersOf(aftermath.still)) standStill(arena, id);
  if (aftermath.apartMs > 0) setApart(arena, aftermath.apartMs);
  return servers;
}

function ruinServer(arena: Arena, server: Member, { how }: Aftermath): void {
  const { network } = arena.cluster;
  switch (how) {
    case 'down':
      return server.crash();
    case 'stopped':
      return server.stop(FOR_GOOD_MS);
    case 'cut':
      return cutOff(arena, network, server);
    case 'slow': {
      const delayMs = SLOW_TTLS * arena.schedule.ttlMs;
      network.rule(({ from, to }) => (isOf(arena, from, to, server) ? { delayMs } : 'pass'));
    }
  }
}

/** From all clients, and from all other servers. */
function cutOff(arena: Arena, network: Network, server: Member): void {
  for (const { process } of arena.clients.values()) network.cut(process, server);
  for (const other of arena.cluster.members) if (other !== server) network.cut(other, server);
}

/** Servers talk to each other as before: a leader that is slow with them is one that nobody can replace. */
function isOf(arena: Arena, from: string, to: string, { name }: Member): boolean {
  return (from === name && arena.clients.has(to)) || (to === name && arena.clients.has(from));
}

function standStill(arena: Arena, id: ClientId): void {
  const client = arena.clients.get(id);
  if (client === undefined || !client.isAlive) return;
  arena.recorder.paused(client.process, FOR_GOOD_MS);
  client.process.pause(FOR_GOOD_MS);
}

/** Every client is next to some of the nodes and further from the others, so that no two hear of things in one order. */
function setApart(arena: Arena, delayMs: number): void {
  const clients = [...arena.clients.keys()];
  const servers = arena.cluster.members.map(({ name }) => name);
  const isNear = (client: string, server: string): boolean =>
    servers.indexOf(server) % clients.length === clients.indexOf(client);
  arena.cluster.network.rule(({ from, to }) => {
    const [client, server] = arena.clients.has(from) ? [from, to] : [to, from];
    const isLink = arena.clients.has(client) && servers.includes(server);
    return isLink && !isNear(client, server) ? { delayMs } : 'pass';
  });
}

/** By how much wall clocks jump in a schedule, all in all. */
export function jumpedMs({ schedule, faults }: Arena): number {
  const jumps = schedule.faults.map((fault) => faults.get(fault.kind).jumpMs?.(fault) ?? 0);
  return jumps.reduce((sum, ms) => sum + ms, 0);
}
