export type * from '@holdfast/core';
export {
  BackendUnavailableError,
  CapabilityError,
  ConfigError,
  InvalidKeyError,
  InvalidOptionError,
  isLockError,
  LockError,
  LockLostError,
  LockTimeoutError,
  OutcomeUnknownError,
} from '@holdfast/core';
export type { Config } from './backends/built-in.ts';
export type { MemoryConfig } from './backends/memory.ts';
export type { RedisGetsetConfig } from './backends/redis-getset.ts';
export type { RedisSimpleConfig } from './backends/redis-simple.ts';
export type { RedlockConfig } from './backends/redlock.ts';
export type { ZkConfig } from './backends/zk.ts';
export { loadConfig, type StoreChoice } from './config/source.ts';
export type { ImportedConfig, LockDefaults, Stores } from './config/types.ts';
export { type OpenOptions, openLocks } from './open-locks.ts';
