import { SimRedisServer } from '../redis/server.ts';
import type { Arena } from './arena.ts';
import type { ActorClient } from './client.ts';
import type { SimServer } from './machines.ts';

/** What is still there that nobody needs any more, one sentence each. */
export type Leftovers = readonly string[];

/**
 * After everything has been given back, while everybody is still connected: what a session's end would hide.
 * @param healthy servers, and clients
 */
export function leftAtRest(
  arena: Arena,
  servers: readonly SimServer[],
  clients: readonly ActorClient[],
): Leftovers {
  return [
    ...keysLeft(arena, servers),
    ...clients.flatMap((client) => watchesLeft(arena, client)),
    ...servers.flatMap((server) => [
      ...subscriptionsLeft(server, clients),
      ...nodesLeft(server, (path) => path.includes('-lock-')),
    ]),
  ];
}

/** After a wait was given up, while somebody else still holds the key. */
export function leftByQuitter(
  arena: Arena,
  servers: readonly SimServer[],
  quitter: ActorClient,
): Leftovers {
  return [
    ...watchesLeft(arena, quitter),
    ...servers.flatMap((server) => subscriptionsLeft(server, [quitter])),
  ];
}

/** After everybody has closed. */
export function leftAfterClose(
  servers: readonly SimServer[],
  clients: readonly ActorClient[],
): Leftovers {
  const timers = clients.filter(({ process }) => process.timers.live > 0);
  return [
    ...timers.map(({ id }) => `${id} has closed, and one of its timers is left`),
    ...servers.flatMap((server) => [
      ...subscriptionsLeft(server, clients),
      ...nodesLeft(server, () => true),
      ...(server instanceof SimRedisServer || server.watches === 0
        ? []
        : [`watches are left on ${server.name}: ${server.watches}`]),
    ]),
  ];
}

function keysLeft(arena: Arena, servers: readonly SimServer[]): Leftovers {
  const { keeps } = arena.subject;
  const held = arena.store.inspect('k') === undefined ? [] : ['the key is left in the store'];
  if (keeps === undefined) return held;
  return servers.flatMap((server) => {
    if (!(server instanceof SimRedisServer)) return [];
    const keys = server.keys().filter((key) => !keeps(key));
    return keys.map((key) => `the key ${key} is left on ${server.name}`);
  });
}

function watchesLeft(arena: Arena, { id, process }: ActorClient): Leftovers {
  return arena.machines.watchedBy(process).map((path) => `${id} still watches ${path}`);
}

function subscriptionsLeft(server: SimServer, clients: readonly ActorClient[]): Leftovers {
  if (!(server instanceof SimRedisServer)) return [];
  const processes = new Set(clients.map(({ process }) => process));
  const count = server.program.subscriptions(({ process }) => processes.has(process));
  return count === 0 ? [] : [`subscriptions are left on ${server.name}: ${count}`];
}

/** Nodes that end with a session. */
function nodesLeft(server: SimServer, isMeant: (path: string) => boolean): Leftovers {
  if (server instanceof SimRedisServer) return [];
  const paths = server.paths().filter((path) => {
    const owner = server.find(path)?.ephemeralOwner;
    return isMeant(path) && owner !== undefined && owner !== 0n;
  });
  return paths.map((path) => `the node ${path} is left on ${server.name}`);
}
