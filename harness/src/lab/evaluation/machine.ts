import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, release } from 'node:os';
import type { FaultId } from '@holdfast/core/backend';
import { LOCKS, lockOf, type Needs } from '../../locks/index.ts';
import type { ServerFactory } from '../../real/index.ts';
import type { OwnServersScope } from '../deployments/own-servers.ts';
import { sparesServers } from './plan.ts';

/** Exact versions of servers and clients, and the machine that they ran on. */
export function versionsOf(
  { redis, zookeeper, etcd, postgres }: ServerFactory,
  own: OwnServersScope | undefined,
): readonly string[] {
  const [cpu] = cpus();
  const ours = [
    ...(redis === undefined ? [] : [`redis-server ${redis.version}`]),
    ...(zookeeper === undefined
      ? []
      : [`ZooKeeper ${zookeeper.version} on Java ${zookeeper.javaVersion() ?? 'unknown'}`]),
    ...(etcd === undefined ? [] : [`etcd ${etcd.version}`]),
    ...(postgres === undefined ? [] : [`PostgreSQL ${postgres.version}`]),
  ];
  return [
    ...(own?.servers.map(({ description }) => description) ?? ours),
    `Node ${process.version}, clients ioredis ${ioredisVersion()}, and for ZooKeeper our own (@holdfast/zk-client)`,
    `one host: ${process.platform} ${release()} ${process.arch}, ${cpus().length} × ${cpu?.model.trim() ?? 'CPU'}`,
  ];
}

/** The version of the package that is loaded. */
function ioredisVersion(): string {
  const path = createRequire(import.meta.url).resolve('ioredis/package.json');
  const { version }: { readonly version: string } = JSON.parse(readFileSync(path, 'utf8'));
  return version;
}

type ServerKind = Exclude<Needs, 'nothing'>;

/** Returns what a column needs and is not installed; undefined if nothing is missing. */
export function missingFor(serverFactory: ServerFactory, column: string): string | undefined {
  const { needs = 'nothing' } = lockOf(column) ?? {};
  return needs === 'nothing' || serverFactory[needs] !== undefined
    ? undefined
    : NOT_INSTALLED[needs];
}

const NOT_INSTALLED: Readonly<Record<ServerKind, string>> = {
  redis: 'redis-server is not installed',
  etcd: 'etcd is not installed',
  zookeeper: 'ZooKeeper is not installed, or Java',
  postgres: 'PostgreSQL is not installed',
};

/** The kinds that some lock needs. */
const SERVER_KINDS: readonly ServerKind[] = [
  ...new Set(LOCKS.flatMap(({ needs }) => (needs === 'nothing' ? [] : [needs]))),
];

/** True if servers of some kind are installed. */
export function hasServers(serverFactory: ServerFactory): boolean {
  return SERVER_KINDS.some((kind) => serverFactory[kind] !== undefined);
}

/** Notes on locks that cannot be tested here, with the reason. */
export function missingOf(serverFactory: ServerFactory): readonly string[] {
  return SERVER_KINDS.filter((kind) => serverFactory[kind] === undefined).map(
    (kind) => `${NOT_INSTALLED[kind]}: ${locksNeeding(kind)} not tested`,
  );
}

function locksNeeding(kind: ServerKind): string {
  return LOCKS.flatMap(({ name, needs }) => (needs === kind ? name : [])).join(', ');
}

/** Notes on faults that were skipped, and on the namespace that was used, on the user's servers. */
export function ownNotes(
  { servers, namespace }: OwnServersScope,
  skipped: readonly FaultId[],
): readonly string[] {
  const ofClients = skipped.filter((fault) => sparesServers(fault));
  const ofServers = skipped.filter((fault) => !sparesServers(fault));
  const longer = servers.filter(({ ttlMsMin }) => ttlMsMin > 0);
  return [
    `the lab injects no fault into servers that it did not start: ${ofServers.join(', ')} were skipped`,
    `${ofClients.join(', ')} hit clients, or the links of all clients, and run only on servers of the lab's own`,
    `everything was stored under the name ${namespace}, which no other run has; nothing else was touched`,
    ...longer.map(
      ({ backend, ttlMsMin }) => `${backend}: its servers grant no session below ${ttlMsMin} ms`,
    ),
  ];
}

/** Notes a busy machine: other work makes every wait longer, and holders late. */
export function loadNote(load: number): readonly string[] {
  const cores = cpus().length;
  if (load < cores) return [];
  const busy = `the machine was busy before this began, with a load of ${load.toFixed(1)} on ${cores} cores`;
  return [`${busy}: times are too long, and holders may be late because no core was free`];
}
