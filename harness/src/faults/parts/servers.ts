import fc from 'fast-check';
import { aim } from '../../sim/schedule/aim.ts';
import {
  blows,
  type Circumstances,
  maskOf,
  PLAIN,
  TTL_MS,
} from '../../sim/schedule/arbitrary-parts.ts';
import type { Arena } from '../../sim/schedule/arena.ts';
import type { Member } from '../../sim/schedule/cluster.ts';
import { type Fields, LASTING, MASK } from '../../sim/schedule/fields.ts';
import type { Aimed, Lasting, OfNodes } from './elements.ts';

/** What strikes servers at some moment, all of a mask at once, and lasts, or goes so far. */
export type OnServers = OfNodes & Aimed & Lasting;

export const ON_SERVERS: Fields = { when: true, numbers: { nodes: MASK, ms: LASTING } };

export const briefMs: fc.Arbitrary<number> = fc.nat(200);
export const jumpMs: fc.Arbitrary<number> = fc.integer({ min: 1, max: 3 * TTL_MS });
export const outageMs: fc.Arbitrary<number> = fc.nat(3 * TTL_MS);

export function onServers(
  kind: string,
  circumstances: Circumstances,
  ms: fc.Arbitrary<number>,
  nodes: fc.Arbitrary<number> = maskOf(circumstances),
): fc.Arbitrary<OnServers> {
  return fc.record({ kind: fc.constant(kind), nodes, when: blows(circumstances), ms }, PLAIN);
}

/** Those who serve at the addresses of the mask once the moment has come; nobody is left alone. */
export function strikeServers(
  arena: Arena,
  fault: OfNodes & Aimed,
  index: number,
  lastingMs: number,
  act: (servers: readonly Member[]) => void,
): void {
  aim(arena, fault.when, () => {
    const servers = arena.cluster.serving(fault.nodes);
    if (servers.length === 0) return;
    const actors = servers.map(({ name }) => name);
    const told = { kind: fault.kind, fault: index, actors };
    arena.strikes.add(told, lastingMs, () => arena.isContended());
    act(servers);
  });
}

/** What the servers do to each other; `act` says whom it struck, and nothing where there is no such verb. */
export function strikePeers(
  arena: Arena,
  fault: OnServers,
  index: number,
  act: () => readonly string[] | undefined,
): void {
  aim(arena, fault.when, () => {
    const actors = act() ?? [];
    if (actors.length === 0) return;
    const told = { kind: fault.kind, fault: index, actors };
    arena.strikes.add(told, fault.ms, () => arena.isContended());
  });
}

/** They crash, and come back with their data. */
export function backWithData(arena: Arena, fault: OnServers, index: number): void {
  strikeServers(arena, fault, index, fault.ms, (servers) => {
    for (const server of servers) server.restart({ data: 'durable', downMs: fault.ms });
  });
}
