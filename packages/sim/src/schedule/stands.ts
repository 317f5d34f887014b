import { SimRedisServer } from '../redis/server.ts';
import type { SimZooKeeper } from '../zookeeper/ensemble.ts';
import type { Program } from '../zookeeper/program.ts';
import type { Arena } from './arena.ts';
import { isOf } from './owner-of.ts';

const OVER = Number.NEGATIVE_INFINITY;
const OPEN = Number.POSITIVE_INFINITY;
/** Ms since 1970: a value that says itself by when it is over, on the clock of whoever reads it. */
const STAMP = /^\d{13}$/;

/**
 * Until when, by true time, nobody else can be granted what `owner` holds, as things stand: the past where somebody
 * could already, Infinity where only an event can end it.
 */
export function standsUntilMs(arena: Arena, owner: string): number {
  const { machines, subject, store, storeProcess } = arena;
  if (machines.ensemble !== undefined) return inQueue(machines.ensemble, owner);
  if (subject.nodes > 0) return byVotes(arena, owner);
  const held = store.inspect('k');
  if (held?.owner !== owner) return OVER;
  return storeProcess.endOf({ from: storeProcess.clocks, ms: held.remainingMs });
}

/** Whether the end of a session, and nobody's wish, is why the place in the queue is gone. */
export function expiredIn({ machines }: Arena, owner: string): boolean {
  const log = actingLeader(machines.ensemble)?.machine.storage.log ?? [];
  const end = log.findLast(({ change }) => {
    if (change.kind === 'delete') return isPlaceOf(change.path, owner);
    return change.kind === 'closeSession' && change.paths.some((path) => isPlaceOf(path, owner));
  });
  return end?.change.kind === 'closeSession' && end.waiter === undefined;
}

/** Once so many nodes are free that they can elect another. A node that is down elects nobody. */
function byVotes(arena: Arena, owner: string): number {
  const servers = arena.machines.all.filter((each) => each instanceof SimRedisServer);
  const ends = servers.map((server) => (server.isUp ? keyEndsMs(arena, server, owner) : OPEN));
  const quorum = Math.floor(servers.length / 2) + 1;
  return ends.toSorted((a, b) => a - b)[quorum - 1] ?? OVER;
}

function keyEndsMs(arena: Arena, server: SimRedisServer, owner: string): number {
  const { entries } = server.engine.snapshot();
  const [contender = ''] = owner.split(':');
  const own = entries.find(([, value]) => value === owner || isOf(value, contender));
  if (own === undefined) return OVER;
  const [, value, expiresAtMs] = own;
  if (expiresAtMs !== undefined) return server.whenWall(expiresAtMs + 1);
  return typeof value === 'string' && STAMP.test(value) ? stampEndsMs(arena, Number(value)) : OPEN;
}

/** The first of all clients to whom it is over could take it; the holder itself is one like any other. */
function stampEndsMs({ clients }: Arena, stamp: number): number {
  const processes = [...clients.values()].filter(({ isAlive }) => isAlive);
  const ends = processes.map(({ process }) => {
    const from = process.clocks;
    return process.endOf({ from, ms: stamp + INSTANT_MS - from.wallMs });
  });
  return Math.min(...ends);
}

/** A clock of microseconds has to show more than the stamp. */
const INSTANT_MS = 0.001;

/** Once the leader that a majority follows has deleted the node: followers hear of it later. */
function inQueue(ensemble: SimZooKeeper, owner: string): number {
  const tree = actingLeader(ensemble)?.tree;
  if (tree === undefined) return OPEN;
  for (const [path] of tree.nodes) if (isPlaceOf(path, owner)) return OPEN;
  return OVER;
}

/** Of several that believe they lead the one that was elected last. */
function actingLeader(ensemble: SimZooKeeper | undefined): Program | undefined {
  const programs = (ensemble?.servers ?? [])
    .filter(({ role, isServing }) => role === 'leading' && isServing)
    .map(({ program }) => program);
  return programs.toSorted((a, b) => b.machine.storage.epoch - a.machine.storage.epoch)[0];
}

function isPlaceOf(path: string, owner: string): boolean {
  const [contender = ''] = owner.split(':');
  return path.includes(`/${contender}-lock-`);
}
