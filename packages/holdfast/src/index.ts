export type * from '@holdfast/core';
export {
  BackendUnavailableError,
  CapabilityError,
  ConfigError,
  InvalidKeyError,
  InvalidOptionError,
  LockError,
  LockLostError,
  LockTimeoutError,
  OutcomeUnknownError,
} from '@holdfast/core';
export { loadConfig } from './config/load-config.ts';
export type {
  Config,
  ImportedConfig,
  LockDefaults,
  MemoryConfig,
  RedisGetsetConfig,
  RedisSimpleConfig,
  RedlockConfig,
  ZkConfig,
} from './config/types.ts';
export { type OpenOptions, openLocks } from './open-locks.ts';
