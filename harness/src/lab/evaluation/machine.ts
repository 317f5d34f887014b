import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, release } from 'node:os';
import type { FaultId } from '@holdfast/core';
import { lockOf, type Needs } from '../../locks/index.ts';
import type { ServerFactory } from '../../plant/index.ts';
import type { OwnServersScope } from '../deployments/own-servers.ts';
import { sparesServers } from './plan.ts';

/** Exact versions of what was tried, and the machine it ran on. */
export function versionsOf(
  { redis, zookeeper }: ServerFactory,
  own: OwnServersScope | undefined,
): readonly string[] {
  const [cpu] = cpus();
  const ours = [
    ...(redis === undefined ? [] : [`redis-server ${redis.version}`]),
    ...(zookeeper === undefined
      ? []
      : [`ZooKeeper ${zookeeper.version} on Java ${zookeeper.javaVersion() ?? 'unknown'}`]),
  ];
  return [
    ...(own?.servers.map(({ description }) => description) ?? ours),
    `Node ${process.version}, clients ioredis ${ioredisVersion()}, and for ZooKeeper our own (@holdfast/zk-client)`,
    `one host: ${process.platform} ${release()} ${process.arch}, ${cpus().length} × ${cpu?.model.trim() ?? 'CPU'}`,
  ];
}

/** Of the very package that is loaded. */
function ioredisVersion(): string {
  const path = createRequire(import.meta.url).resolve('ioredis/package.json');
  const { version }: { readonly version: string } = JSON.parse(readFileSync(path, 'utf8'));
  return version;
}

type ServerKind = Exclude<Needs, 'nothing'>;

/** What this column needs and is not there. */
export function missingFor(plant: ServerFactory, column: string): string | undefined {
  const { needs = 'nothing' } = lockOf(column) ?? {};
  return needs === 'nothing' || plant[needs] !== undefined ? undefined : NOT_INSTALLED[needs];
}

const NOT_INSTALLED: Readonly<Record<ServerKind, string>> = {
  redis: 'redis-server is not installed',
  zookeeper: 'ZooKeeper is not installed, or Java',
};

/** What cannot be tried here, and why. */
export function missingOf({ redis, zookeeper }: ServerFactory): readonly string[] {
  return [
    ...(redis === undefined ? [`${NOT_INSTALLED.redis}: nothing on Redis was tried`] : []),
    ...(zookeeper === undefined ? [`${NOT_INSTALLED.zookeeper}: zk was not tried`] : []),
  ];
}

/** What was left alone on servers of the user's, and what was not. */
export function ownNotes(
  { servers, namespace }: OwnServersScope,
  skipped: readonly FaultId[],
): readonly string[] {
  const ofClients = skipped.filter((fault) => sparesServers(fault));
  const ofServers = skipped.filter((fault) => !sparesServers(fault));
  const longer = servers.filter(({ ttlMsMin }) => ttlMsMin > 0);
  return [
    `the laboratory strikes only servers that it started itself, and these are yours: ${ofServers.join(', ')} were skipped`,
    `${ofClients.join(', ')} strike clients, or the ways of all, and are played on servers of the laboratory's own alone`,
    `everything was done under the name ${namespace}, which no other run has; what is there besides was not touched`,
    ...longer.map(
      ({ backend, ttlMsMin }) => `${backend}: its servers grant no session below ${ttlMsMin} ms`,
    ),
  ];
}

/** What else a machine does makes every wait longer, and holders late. */
export function loadNote(load: number): readonly string[] {
  const cores = cpus().length;
  if (load < cores) return [];
  const said = `the machine was busy before this began, with a load of ${load.toFixed(1)} on ${cores} cores`;
  return [`${said}: times are too long, and holders may be late for want of a core`];
}
