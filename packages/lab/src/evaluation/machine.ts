import { cpus } from 'node:os';
import type { FaultId } from '@holdfast/core';
import type { Plant } from '../plant.ts';
import type { OwnGrounds } from '../servers/own.ts';
import { LAB_COLUMNS, type LabColumnId } from './columns.ts';

/** Exact versions of what was tried, and the machine it ran on. */
export function versionsOf(
  { redis, zookeeper }: Plant,
  own: OwnGrounds | undefined,
): readonly string[] {
  const [cpu] = cpus();
  const ours = [
    ...(redis === undefined ? [] : [`redis-server ${redis.version}`]),
    ...(zookeeper === undefined ? [] : [`ZooKeeper ${zookeeper.version}`]),
  ];
  return [
    ...(own?.servers.map(({ description }) => description) ?? ours),
    `Node ${process.version}, client ioredis, and our own for ZooKeeper`,
    `one host: ${process.platform} ${process.arch}, ${cpus().length} × ${cpu?.model.trim() ?? 'CPU'}`,
  ];
}

/** Whether what this column needs is there. */
export function isInstalled({ redis, zookeeper }: Plant, column: LabColumnId): boolean {
  if (column === 'no-lock') return true;
  return (LAB_COLUMNS[column].backend === 'zk' ? zookeeper : redis) !== undefined;
}

/** What cannot be tried here, and why. */
export function missingOf({ redis, zookeeper }: Plant): readonly string[] {
  return [
    ...(redis === undefined ? ['redis-server is not installed: nothing on Redis was tried'] : []),
    ...(zookeeper === undefined ? ['ZooKeeper is not installed: zk was not tried'] : []),
  ];
}

/** What was left alone on servers of the user's, and what was not. */
export function ownNotes(
  { servers, namespace }: OwnGrounds,
  skipped: readonly FaultId[],
): readonly string[] {
  const longer = servers.filter(({ ttlMsMin }) => ttlMsMin > 0);
  return [
    `the laboratory strikes only servers that it started itself, and these are yours: ${skipped.join(', ')} were skipped`,
    `everything was done under the name ${namespace}, which no other run has; what is there besides was not touched`,
    ...longer.map(
      ({ backend, ttlMsMin }) => `${backend}: its servers grant no session below ${ttlMsMin} ms`,
    ),
  ];
}

/** What else a machine does makes every wait longer, and holders late. */
export function busyWith(load: number): readonly string[] {
  const cores = cpus().length;
  if (load < cores) return [];
  const said = `the machine was busy before this began, with a load of ${load.toFixed(1)} on ${cores} cores`;
  return [`${said}: times are too long, and holders may be late for want of a core`];
}
