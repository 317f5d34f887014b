import type { openMemory } from '@holdfast/core/backend';
import type { openEtcd } from '@holdfast/etcd';
import type { Subject, SubjectCore } from '@holdfast/harness/simulator';
import type { migration, openPostgres, openPostgresAdvisory } from '@holdfast/postgres';
import type { openRedisGetset } from '@holdfast/redis-getset';
import type { openRedisSimple } from '@holdfast/redis-simple';
import type { openRedlock } from '@holdfast/redlock';
import type { openZk } from '@holdfast/zk';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { importClient, importCopy, importDatabaseClient, importLinks } from '../mutation/copies.ts';
import type { Mutable } from './mutant.ts';
import { type Change, copyOf } from './mutate.ts';

/** Everything that the copies may export. */
interface CopiedModules extends SubjectCore {
  readonly openMemory: typeof openMemory;
  readonly openRedisGetset: typeof openRedisGetset;
  readonly openRedisSimple: typeof openRedisSimple;
  readonly openRedlock: typeof openRedlock;
  readonly openZk: typeof openZk;
  readonly openPostgres: typeof openPostgres;
  readonly openPostgresAdvisory: typeof openPostgresAdvisory;
  readonly migration: typeof migration;
  readonly openEtcd: typeof openEtcd;
}

type OpenRecipe = NonNullable<Subject['open']>;

/** The package of a subject's recipe, and the function that opens it. */
const RECIPES: Readonly<
  Record<string, { of: Mutable; open: (copies: CopiedModules) => OpenRecipe }>
> = {
  memory: {
    of: 'core',
    open:
      ({ openMemory: open }) =>
      ({ store, link }, host) =>
        open({ store, link }, host),
  },
  'redis-simple': {
    of: 'redis-simple',
    open:
      ({ openRedisSimple: open }) =>
      ({ node }, host) =>
        open({ node }, host),
  },
  'redis-simple/fair': {
    of: 'redis-simple',
    open:
      ({ openRedisSimple: open }) =>
      ({ node }, host) =>
        open({ node, fair: true }, host),
  },
  'redis-getset': {
    of: 'redis-getset',
    open:
      ({ openRedisGetset: open }) =>
      ({ node }, host) =>
        open({ node }, host),
  },
  redlock: {
    of: 'redlock',
    open:
      ({ openRedlock: open }) =>
      ({ nodes }, host) =>
        open({ nodes }, host),
  },
  zk: {
    of: 'zk',
    open:
      ({ openZk: open }) =>
      ({ openSession }, host) =>
        open({ open: openSession }, host),
  },
  postgres: {
    of: 'postgres',
    open:
      ({ openPostgres: open }) =>
      ({ database }, host) =>
        open({ database }, host),
  },
  'postgres-synchronous': {
    of: 'postgres',
    open:
      ({ openPostgres: open }) =>
      ({ database }, host) =>
        open({ database, synchronous: true }, host),
  },
  'postgres-advisory': {
    of: 'postgres',
    open:
      ({ openPostgresAdvisory: open }) =>
      ({ database, sessionTtlMs: ttlMs }, host) =>
        open({ database, ttlMs }, host),
  },
  etcd: {
    of: 'etcd',
    open:
      ({ openEtcd: open }) =>
      ({ etcd: client }, host) =>
        open({ client }, host),
  },
};

/** A copy of the correct lock. A test that fails on it proves nothing about a mutant. */
export function rightCopy(name: string, changeable: Mutable): Promise<Subject> {
  return changedSubject(name, `right-${name.replaceAll('/', '-')}-${changeable}`, changeable);
}

/** The lock with the mistake of a mutant. */
export function mutantOf(mutant: Change, name: string): Promise<Subject> {
  return changedSubject(name, mutant.name, mutant.package, mutant);
}

/** Of a lock that clients reach in another way, such as `redis-simple/sentinel`, that of the lock itself. */
function recipeOf(name: string): string {
  return RECIPES[name] === undefined ? (name.split('/')[0] ?? name) : name;
}

async function changedSubject(
  name: string,
  folderName: string,
  changed: Mutable,
  change?: Change,
): Promise<Subject> {
  const recipe = RECIPES[recipeOf(name)];
  if (recipe === undefined) throw new Error(`no mutants are made of ${name}`);
  const packages = changed === recipe.of ? ([changed] as const) : ([changed, recipe.of] as const);
  const folder = copyOf(packages, folderName, change);
  const copies = await importCopy<CopiedModules>(folder, recipe.of);
  const right = subjectOf(name);
  const subject = { ...right, open: recipe.open(copies) };
  if (changed === 'redis' && right.topology !== undefined)
    return { ...subject, topology: { ...right.topology, client: await importLinks(folder) } };
  if (changed === 'core')
    return { ...subject, core: await importCopy<CopiedModules>(folder, 'core') };
  if (changed === 'postgres')
    return {
      ...subject,
      schema: () => copies.migration(),
      databaseClient: await importDatabaseClient(folder),
    };
  if (changed !== 'zk-client') return subject;
  return { ...subject, openSessions: (await importClient(folder)).openSessions };
}
