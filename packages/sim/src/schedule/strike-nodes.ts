import { aim } from './aim.ts';
import type { Arena } from './arena.ts';
import type { SimServer } from './machines.ts';
import type {
  ClientCut,
  Drift,
  Fault,
  NodeOutage,
  ServerClock,
  Swizzle,
  TornLog,
  When,
} from './schedule.ts';
import { nodesIn } from './schedule.ts';

type Aimed = Fault & { readonly nodes: number; readonly when: When };

/** Servers stop, die, come back, or have their clocks moved: all of a mask at once. */
export function strikeNodes(
  arena: Arena,
  fault: NodeOutage | ServerClock | TornLog,
  index: number,
): void {
  blow(arena, fault, index, lastingMs(fault), (servers) => {
    for (const server of servers) act(fault, server);
  });
}

/** Nothing passes between a client and nodes, or only what goes the other way. */
export function strikeCut(arena: Arena, fault: ClientCut, index: number): void {
  const client = arena.clients.get(fault.client)?.process;
  if (client === undefined) return;
  blow(arena, fault, index, fault.ms, (servers) => {
    for (const server of servers) {
      const { network } = arena.machines;
      const heal =
        fault.way === 'both'
          ? network.cut(client, server)
          : fault.way === 'request'
            ? network.cut(client, server, { oneWay: true })
            : network.cut(server, client, { oneWay: true });
      arena.world.after(fault.ms, heal);
    }
  });
}

/** Clogged one by one, freed in another order: at every moment some other set of nodes answers. */
export function strikeSwizzle(arena: Arena, fault: Swizzle, index: number): void {
  const { gapMs, ms, order } = fault;
  const count = nodesIn(fault.nodes).length;
  blow(arena, fault, index, ms + 2 * count * gapMs, (servers) => {
    const freed = permuted(servers, order);
    for (const [i, server] of servers.entries()) {
      const clogMs = i * gapMs;
      const freeMs = (count - 1) * gapMs + ms + freed.indexOf(server) * gapMs;
      arena.world.after(clogMs, () => clog(arena, server, freeMs - clogMs));
    }
  });
}

/** Clocks of nodes run fast or slow from the start. */
export function strikeNodeDrift(
  arena: Arena,
  { nodes, ppm }: Drift & { nodes: number },
  index: number,
): void {
  const servers = arena.machines.serving(nodes);
  if (servers.length === 0) return;
  for (const server of servers) server.setDrift(ppm);
  const told = { kind: 'drift', fault: index, actors: servers.map(({ name }) => name) } as const;
  arena.strikes.add(told, Number.POSITIVE_INFINITY, () => arena.isContended());
}

function blow(
  arena: Arena,
  fault: Aimed,
  index: number,
  ms: number,
  strike: (servers: readonly SimServer[]) => void,
): void {
  aim(arena, fault.when, () => {
    const servers = arena.machines.serving(fault.nodes);
    if (servers.length === 0) return;
    const actors = servers.map(({ name }) => name);
    arena.strikes.add({ kind: fault.kind, fault: index, actors }, ms, () => arena.isContended());
    strike(servers);
  });
}

/** A jump of a clock is over at once; what follows from it is not the jump. */
function lastingMs({ kind, ms }: NodeOutage | ServerClock | TornLog): number {
  return kind === 'server-clock-forward' || kind === 'server-clock-back' ? 0 : ms;
}

function act(fault: NodeOutage | ServerClock | TornLog, server: SimServer): void {
  switch (fault.kind) {
    case 'server-clock-forward':
      return server.jumpWall(fault.ms);
    case 'server-clock-back':
      return server.jumpWall(-fault.ms);
    case 'server-stop':
      return server.stop(fault.ms);
    case 'restart-empty':
      return server.restart({ data: 'empty', downMs: fault.ms });
    case 'restart-durable':
    case 'majority-down':
      return server.restart({ data: 'durable', downMs: fault.ms });
    case 'torn-log':
      return server.restart({ data: 'torn', lost: fault.writes, downMs: fault.ms });
  }
}

function clog(arena: Arena, server: SimServer, ms: number): void {
  const { network } = arena.machines;
  const heals = [...arena.clients.values()].map(({ process }) => network.cut(process, server));
  arena.world.after(ms, () => {
    for (const heal of heals) heal();
  });
}

/** The `n`-th order of the list; 0 leaves it as it is. */
function permuted<T>(list: readonly T[], n: number): readonly T[] {
  const left = [...list];
  let rest = n;
  return list.map(() => {
    const at = rest % left.length;
    rest = Math.floor(rest / left.length);
    return left.splice(at, 1)[0]!;
  });
}
