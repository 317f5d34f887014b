import type { ImportedConfig } from '../config/types.ts';
import { type EtcdConfig, etcd } from './etcd.ts';
import { type MemoryConfig, memory } from './memory.ts';
import { type MovingConfig, moving } from './moving.ts';
import { type PostgresConfig, postgres } from './postgres.ts';
import { type PostgresAdvisoryConfig, postgresAdvisory } from './postgres-advisory.ts';
import type { BackendRecord } from './record.ts';
import { type RedisGetsetConfig, redisGetset } from './redis-getset.ts';
import { type RedisSimpleConfig, redisSimple } from './redis-simple.ts';
import { type RedlockConfig, redlock } from './redlock.ts';
import { type ZkConfig, zk } from './zk.ts';

/** A configuration: an argument of `openLocks`, or the content of a configuration file. */
export type Config =
  | MemoryConfig
  | RedisSimpleConfig
  | RedisGetsetConfig
  | RedlockConfig
  | ZkConfig
  | EtcdConfig
  | PostgresConfig
  | PostgresAdvisoryConfig
  | MovingConfig
  | ImportedConfig;

/** The backends of this package. To add one, add its file, its type above, and its line here. */
export const BACKENDS: readonly BackendRecord<Config>[] = [
  memory,
  redisSimple,
  redisGetset,
  redlock,
  zk,
  etcd,
  postgres,
  postgresAdvisory,
  moving,
];

export const BUILT_IN_NAMES: readonly string[] = BACKENDS.map(({ name }) => name);

/** The record of the backend `name`, or undefined if it is not of this package. */
export function builtIn(name: string): BackendRecord<Config> | undefined {
  return BACKENDS.find((backend) => backend.name === name);
}
