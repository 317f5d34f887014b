import { ConfigError } from '@holdfast/core';
import type { Config, RedisGetsetConfig, RedisSimpleConfig } from 'holdfast/internal';
import {
  isRedisGetset,
  isRedisSimple,
  isRedlock,
  isZk,
  openResolved,
  type ResolvedConfig,
  resolveSource,
} from 'holdfast/internal';
import { lockNamed } from '../../locks/index.ts';
import type { OwnServers } from '../index.ts';
import { ANSWER_MS } from './own-address.ts';
import { onNodes, onRedis } from './own-redis.ts';
import { onZooKeeper } from './own-zookeeper.ts';

/** Where several URLs are named: a comma inside of one is no scheme's beginning. */
const BETWEEN = /,(?=[a-z]+:\/\/)/i;

/**
 * The servers that these sources name, each of which has answered, and let somebody lock under this name.
 * @throws ConfigError for what the laboratory cannot work on; LockError where it may not, or nobody answers
 */
export async function ownLabs(sources: string, namespace: string): Promise<readonly OwnServers[]> {
  const labs: OwnServers[] = [];
  for (const source of sources.split(BETWEEN)) {
    const resolved = await resolveSource(source);
    const lab = await ownLab(resolved.config);
    if (labs.some(({ backend }) => backend === lab.backend))
      throw new ConfigError(
        `${lab.backend} is named twice; the laboratory plays each backend once`,
      );
    await checkAccess(resolved, namespace, lab);
    labs.push(lab);
  }
  return labs;
}

/** Whether the laboratory knows how to reach what these sources name. */
export async function isForLab(sources: string): Promise<boolean> {
  const resolved = await Promise.all(sources.split(BETWEEN).map(resolveSource));
  return resolved.every(
    ({ config }) => isZk(config) || isRedlock(config) || (isOneRedis(config) && !config.client),
  );
}

async function ownLab(config: Config): Promise<OwnServers> {
  if (isZk(config)) return await onZooKeeper(config);
  if (isOneRedis(config)) return await onRedis(config);
  if (isRedlock(config)) return await onNodes(config);
  const what =
    lockNamed(config.backend)?.needs === 'nothing'
      ? 'has no servers'
      : 'is not known to the laboratory';
  throw new ConfigError(
    `${config.backend} ${what}; --profile short compares it without cutting anything`,
  );
}

/** One lock, taken and given back: whoever may not, hears of it before anything is started. */
async function checkAccess(
  { config, folder }: ResolvedConfig,
  namespace: string,
  lab: OwnServers,
): Promise<void> {
  const renamed = { ...config, namespace, require: undefined, ttlMs: undefined };
  const locks = await openResolved({ config: renamed, folder });
  try {
    const lease = await locks.acquire('rehearsal', { waitMs: ANSWER_MS });
    await lease.release();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = `the laboratory works under the name ${namespace}, and needs the right to`;
    throw new ConfigError(`nothing can be locked on ${lab.description}: ${why} (${hint})`, {
      cause,
    });
  } finally {
    await locks.close({ timeoutMs: ANSWER_MS });
    await lab.removeNamespace(namespace).catch(() => undefined);
  }
}

export function isOneRedis(config: Config): config is RedisSimpleConfig | RedisGetsetConfig {
  return isRedisSimple(config) || isRedisGetset(config);
}
