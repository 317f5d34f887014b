import { ConfigError, type Locks } from '@holdfast/core';
import {
  type Config,
  isRedisGetset,
  isRedisSimple,
  isRedlock,
  isZk,
  openResolved,
  type RedisGetsetConfig,
  type RedisSimpleConfig,
  type ResolvedConfig,
  resolveSource,
} from 'holdfast/internal';
import { lockNamed } from '../../locks/index.ts';
import type { OwnServers } from '../index.ts';
import { REPLY_MS } from './own-address.ts';
import { onNodes, onRedis } from './own-redis.ts';
import type { OwnSource } from './own-source.ts';
import { onZooKeeper } from './own-zookeeper.ts';

/** Separates several URLs: only a comma before a scheme does. */
const BETWEEN = /,(?=[a-z]+:\/\/)/i;

/**
 * Resolves the servers that these sources name. Each has replied, and has granted a lock in this namespace.
 * @throws ConfigError for servers that the laboratory cannot use; LockError if it lacks the rights, or no server replies
 */
export async function ownLabs(own: OwnSource, namespace: string): Promise<readonly OwnServers[]> {
  const labs: OwnServers[] = [];
  for (const resolved of await resolveAll(own)) {
    const lab = await ownLab(resolved.config);
    if (labs.some(({ backend }) => backend === lab.backend))
      throw new ConfigError(`${lab.backend} is named twice; the lab tests each backend once`);
    await checkAccess(resolved, namespace, lab);
    labs.push(lab);
  }
  return labs;
}

/** True if the laboratory can use the servers that these sources name. */
export async function isForLab(own: OwnSource): Promise<boolean> {
  const resolved = await resolveAll(own);
  return resolved.every(
    ({ config }) => isZk(config) || isRedlock(config) || (isOneRedis(config) && !config.client),
  );
}

async function resolveAll({ source, store }: OwnSource): Promise<readonly ResolvedConfig[]> {
  return await Promise.all(source.split(BETWEEN).map((each) => resolveSource(each, { store })));
}

async function ownLab(config: Config): Promise<OwnServers> {
  if (isZk(config)) return await onZooKeeper(config);
  if (isOneRedis(config)) return await onRedis(config);
  if (isRedlock(config)) return await onNodes(config);
  const what =
    lockNamed(config.backend)?.needs === 'nothing' ? 'has no servers' : 'is not known to the lab';
  throw new ConfigError(`${config.backend} ${what}; use --profile short, which cuts nothing`);
}

/** Acquires and releases one lock, so that missing rights are reported before anything is started. */
async function checkAccess(
  { config, folder }: ResolvedConfig,
  namespace: string,
  lab: OwnServers,
): Promise<void> {
  const renamed = { ...config, namespace, require: undefined, ttlMs: undefined };
  let locks: Locks | undefined;
  try {
    locks = await openResolved({ config: renamed, folder }, { epoch: 'ignore' });
    const lease = await locks.acquire('rehearsal', { waitMs: REPLY_MS });
    await lease.release();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = `the lab stores everything under the name ${namespace}, and needs the rights for it`;
    throw new ConfigError(`cannot acquire a lock on ${lab.description}: ${why} (${hint})`, {
      cause,
    });
  } finally {
    await locks?.close({ timeoutMs: REPLY_MS });
    await lab.removeNamespace(namespace).catch(() => undefined);
  }
}

export function isOneRedis(config: Config): config is RedisSimpleConfig | RedisGetsetConfig {
  return isRedisSimple(config) || isRedisGetset(config);
}
