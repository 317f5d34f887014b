import type { BackendUnderTest } from '@holdfast/conformance';
import type { Host, openMemory } from '@holdfast/core/backend';
import type { Subject, SubjectCore } from '@holdfast/harness/simulator';
import { keyPrefix } from '@holdfast/redis';
import { type openRedisGetset, capabilities as redisGetset } from '@holdfast/redis-getset';
import { type openRedisSimple, capabilities as redisSimple } from '@holdfast/redis-simple';
import { type openRedlock, capabilities as redlock } from '@holdfast/redlock';
import type { openZk } from '@holdfast/zk';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { memorySubject } from '../../packages/conformance/test/kit.ts';
import { only } from '../contract/redis-backend.ts';
import { simulatedSubject } from '../contract/simulated.ts';
import { zkSimulatedSubject } from '../contract/zk-simulated.ts';
import { importCopy } from './copies.ts';
import type { Mutable } from './mutant.ts';

/** Everything that the copies may export. */
interface CopiedModules extends SubjectCore {
  readonly openMemory: typeof openMemory;
  readonly openRedisGetset: typeof openRedisGetset;
  readonly openRedisSimple: typeof openRedisSimple;
  readonly openRedlock: typeof openRedlock;
  readonly openZk: typeof openZk;
}

/** A copied lock, as the contract and as the simulator try it. */
export interface CopiedLock {
  /** Makes a stage of its own for every check. */
  readonly checked: () => BackendUnderTest;
  readonly subjects: readonly Subject[];
  readonly openZk: typeof openZk | undefined;
}

/** The packages that are copied, so that the first can be changed, and the locks that are played with them. */
export const COPIED: Readonly<Record<Mutable, readonly [Mutable, ...Mutable[]]>> = {
  core: ['core', 'redis-simple', 'zk'],
  redis: ['redis', 'redis-simple', 'redlock'],
  'redis-simple': ['redis-simple'],
  'redis-getset': ['redis-getset'],
  redlock: ['redlock'],
  zk: ['zk'],
};

/** The lock that copies in `folder` make. Rejects when they cannot be loaded. */
export async function copiedLock(of: Mutable, folder: string): Promise<CopiedLock> {
  if (of === 'redis') return await copiedRedis(folder);
  const copies = await importCopy<CopiedModules>(folder, of);
  if (of === 'core') return await copiedCore(folder, copies);
  const subjects = [playedBy(of, copies)];
  return { checked: checkedBy(of, copies), subjects, openZk: copies.openZk };
}

async function copiedCore(folder: string, core: CopiedModules): Promise<CopiedLock> {
  const simple = await importCopy<CopiedModules>(folder, 'redis-simple');
  const zk = await importCopy<CopiedModules>(folder, 'zk');
  const subjects = [
    { ...subjectOf('memory'), open: memory(core), core },
    { ...playedBy('redis-simple', simple), core },
    { ...playedBy('zk', zk), core },
  ];
  return { checked: () => checkedMemory(core), subjects, openZk: undefined };
}

async function copiedRedis(folder: string): Promise<CopiedLock> {
  const simple = await importCopy<CopiedModules>(folder, 'redis-simple');
  const majority = await importCopy<CopiedModules>(folder, 'redlock');
  const subjects = [playedBy('redis-simple', simple), playedBy('redlock', majority)];
  return { checked: checkedBy('redlock', majority), subjects, openZk: undefined };
}

function memory({ openMemory: open }: CopiedModules): NonNullable<Subject['open']> {
  return ({ store, link }, host) => open({ store, link }, host);
}

function checkedMemory(core: CopiedModules): BackendUnderTest {
  const { openMemory: open, MemoryStore: Store } = core;
  return memorySubject({ store: (nowMs) => new Store(nowMs), open });
}

type Recipe = Exclude<Mutable, 'core' | 'redis'>;

function playedBy(of: Recipe, copies: CopiedModules): Subject {
  const { openRedisSimple, openRedisGetset, openRedlock, openZk: zk } = copies;
  const open: Readonly<Record<Recipe, NonNullable<Subject['open']>>> = {
    'redis-simple': ({ node }, host) => openRedisSimple({ node }, host),
    'redis-getset': ({ node }, host) => openRedisGetset({ node }, host),
    redlock: ({ nodes }, host) => openRedlock({ nodes }, host),
    zk: ({ openSession }, host) => zk({ open: openSession }, host),
  };
  return { ...subjectOf(of), open: open[of] };
}

function lockOf(key: string): string {
  return `${keyPrefix('holdfast', key)}lock`;
}

/** As the rows of `test/backends.ts`, over the copies. */
function checkedBy(of: Recipe, copies: CopiedModules): () => BackendUnderTest {
  const { openRedisSimple, openRedisGetset, openRedlock, openZk: zk } = copies;
  const onRedis: Readonly<Record<Exclude<Recipe, 'zk'>, Parameters<typeof simulatedSubject>[0]>> = {
    'redis-simple': {
      package: of,
      servers: 1,
      capabilities: redisSimple,
      open: (reach, host) => openRedisSimple(only(reach), host),
      lockOf,
    },
    'redis-getset': {
      package: of,
      servers: 1,
      capabilities: redisGetset,
      open: (reach, host) => openRedisGetset(only(reach), host),
      lockOf,
    },
    redlock: {
      package: of,
      servers: 5,
      capabilities: redlock,
      open: (reach, host: Host) => openRedlock(reach, host),
      lockOf: (key) => `${keyPrefix('holdfast', key)}vote`,
    },
  };
  return of === 'zk' ? () => zkSimulatedSubject(zk) : () => simulatedSubject(onRedis[of]);
}
