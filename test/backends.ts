import type { BackendUnderTest } from '@holdfast/conformance';
import { EXHIBIT_CAPABILITIES, EXHIBITS, openExhibit } from '@holdfast/harness/exhibits';
import { keyPrefix } from '@holdfast/redis';
import { openRedisGetset, capabilities as redisGetset } from '@holdfast/redis-getset';
import {
  fairCapabilities,
  openRedisSimple,
  capabilities as redisSimple,
} from '@holdfast/redis-simple';
import { openRedlock, capabilities as redlock } from '@holdfast/redlock';
import { memorySubject } from '../packages/conformance/test/kit.ts';
import { ClusterServers } from './contract/cluster-on-servers.ts';
import { EtcdServers } from './contract/etcd-on-servers.ts';
import { etcdSimulatedSubject } from './contract/etcd-simulated.ts';
import { EXHIBIT_FLAWS } from './contract/exhibit-flaws.ts';
import { movingSubject } from './contract/moving.ts';
import { Servers } from './contract/on-servers.ts';
import { AdvisoryServers } from './contract/postgres-advisory-on-servers.ts';
import { advisorySimulatedSubject } from './contract/postgres-advisory-simulated.ts';
import { PostgresServers } from './contract/postgres-on-servers.ts';
import { postgresSimulatedSubject } from './contract/postgres-simulated.ts';
import { only, type RedisBackend } from './contract/redis-backend.ts';
import { simulatedSubject } from './contract/simulated.ts';
import { ZkServers } from './contract/zk-on-servers.ts';
import { zkSimulatedSubject } from './contract/zk-simulated.ts';

const lockOf = (key: string): string => `${keyPrefix('holdfast', key)}lock`;

const SELF_BLOCKING = {
  'an attempt whose reply was lost does not block its own contender':
    'nothing in a stamp tells whose it is, so its own looks like anybody’s',
};

/** Every backend over Redis. A new one is a row here, and `backends.test.ts` says so until it is. */
export const REDIS_BACKENDS: readonly RedisBackend[] = [
  {
    package: 'redis-simple',
    servers: 1,
    capabilities: redisSimple,
    open: (reach, host) => openRedisSimple(only(reach), host),
    lockOf,
  },
  {
    package: 'redis-simple',
    variant: 'fair',
    servers: 1,
    capabilities: fairCapabilities,
    open: (reach, host) => openRedisSimple({ ...only(reach), fair: true }, host),
    lockOf,
  },
  {
    package: 'redis-getset',
    servers: 1,
    capabilities: redisGetset,
    open: (reach, host) => openRedisGetset(only(reach), host),
    lockOf,
    flaws: {
      ...SELF_BLOCKING,
      'after a takeover the old holder’s release is not-held, and does not affect the new holder':
        'DEL removes whatever stands there',
    },
  },
  {
    package: 'redis-getset',
    variant: 'checking its age before DEL',
    servers: 1,
    capabilities: redisGetset,
    open: (reach, host) => openRedisGetset({ ...only(reach), checkAge: true }, host),
    lockOf,
    flaws: SELF_BLOCKING,
  },
  {
    package: 'redlock',
    servers: 5,
    capabilities: redlock,
    open: (reach, host) => openRedlock(reach, host),
    lockOf: (key) => `${keyPrefix('holdfast', key)}vote`,
  },
  ...EXHIBITS.map(
    ({ name }): RedisBackend => ({
      package: 'exhibits',
      variant: name,
      servers: 1,
      capabilities: EXHIBIT_CAPABILITIES,
      open: (reach, host) => openExhibit({ name, ...only(reach) }, host),
      lockOf,
      flaws: EXHIBIT_FLAWS[name] ?? {},
      // On a busy machine an answer comes too late now and then, and none of them knows its own key again.
      simulatedOnly: true,
    }),
  ),
];

/** One way in which a backend plays its contract. */
export interface Row {
  readonly package: string;
  readonly name: string;
  readonly where: 'simulator' | 'servers';
  /** Starts what its subjects share. */
  start(): Promise<{ subject(): BackendUnderTest; close(): Promise<void> }>;
}

const LIBRARIES = ['ioredis', 'redis'] as const;

/** The backends, and the deployments on which each is tested against the contract. */
export const BACKENDS: readonly Row[] = [
  simulated('core', 'memory', () => memorySubject()),
  simulated('moving', 'moving, between two stores in memory', movingSubject),
  ...REDIS_BACKENDS.flatMap((backend) => {
    const name = [backend.package, backend.variant].filter(Boolean).join(', ');
    return [
      simulated(backend.package, name, () => simulatedSubject(backend)),
      ...(backend.simulatedOnly === true ? [] : LIBRARIES).map(
        (library): Row => ({
          package: backend.package,
          name: `${name}, through ${library}`,
          where: 'servers',
          start: () => Servers.start(backend, library),
        }),
      ),
    ];
  }),
  clusterRow('redis-simple, through ioredis, on a cluster'),
  clusterRow('redis-simple, fair, through ioredis, on a cluster', { fair: true }),
  simulated('zk', 'zk', () => zkSimulatedSubject()),
  zkRow('zk, through zk-client, on one server', () => ZkServers.start(1)),
  zkRow('zk, through zk-client, on an ensemble of three', () => ZkServers.start(3)),
  simulated('etcd', 'etcd, on one server', () => etcdSimulatedSubject(1)),
  simulated('etcd', 'etcd, on an ensemble of three', () => etcdSimulatedSubject(3)),
  etcdRow('etcd, on one server', () => EtcdServers.start(1)),
  etcdRow('etcd, on an ensemble of three', () => EtcdServers.start(3)),
  simulated('postgres', 'postgres', postgresSimulatedSubject),
  simulated('postgres', 'postgres-advisory', advisorySimulatedSubject),
  ...(['pg', 'postgres'] as const).map(
    (library): Row => ({
      package: 'postgres',
      name: `postgres, through ${library}`,
      where: 'servers',
      start: () => PostgresServers.start(library),
    }),
  ),
  ...(['pg', 'postgres'] as const).map(
    (library): Row => ({
      package: 'postgres',
      name: `postgres-advisory, through ${library}`,
      where: 'servers',
      start: () => AdvisoryServers.start(library),
    }),
  ),
];

function simulated(owner: string, name: string, subject: () => BackendUnderTest): Row {
  const start: Row['start'] = async () => ({ subject, close: async () => {} });
  return { package: owner, name, where: 'simulator', start };
}

/** Through one library: what differs between them is the connection to one node. */
function clusterRow(name: string, options: { readonly fair?: boolean } = {}): Row {
  const start: Row['start'] = async () => {
    const servers = await ClusterServers.start('ioredis');
    return { subject: () => servers.subject(lockOf, options), close: () => servers.close() };
  };
  return { package: 'redis-simple', name, where: 'servers', start };
}

function zkRow(name: string, start: Row['start']): Row {
  return { package: 'zk', name, where: 'servers', start };
}

function etcdRow(name: string, start: Row['start']): Row {
  return { package: 'etcd', name, where: 'servers', start };
}
