import type { RedisServer } from './redis-server.ts';

/** Servers of which one is the master. */
interface Servers {
  readonly servers: readonly RedisServer[];
  /** Sends a command to one of them; resolves to its reply. */
  command(server: RedisServer, ...args: readonly string[]): Promise<string>;
}

/** Makes all others replicas of `master`. */
export async function replicate(master: RedisServer, deployment: Servers): Promise<void> {
  await onOthers(master, deployment, 'REPLICAOF', '127.0.0.1', `${master.port}`);
}

/** True if all others are in sync with `master`, else undefined: to be asked until it is. */
export async function areReplicasOf(
  master: RedisServer,
  deployment: Servers,
): Promise<true | undefined> {
  const infos = await onOthers(master, deployment, 'INFO', 'replication');
  const areInSync = infos.every(
    (info) => info.includes(`master_port:${master.port}`) && info.includes('master_link_status:up'),
  );
  return areInSync || undefined;
}

function onOthers(
  master: RedisServer,
  deployment: Servers,
  ...args: readonly string[]
): Promise<readonly string[]> {
  const others = deployment.servers.filter((server) => server !== master);
  return Promise.all(others.map((each) => deployment.command(each, ...args)));
}
