/**
 * For `@holdfast/harness` of the same version only: it may change with every release.
 */

export { redactText } from '@holdfast/core/backend';
export { BUILT_IN_NAMES, type Config } from './backends/built-in.ts';
export { backendUrl, importBackend } from './backends/import-backend.ts';
export { moduleUrl } from './backends/module-file.ts';
export { isRedisGetset, type RedisGetsetConfig } from './backends/redis-getset.ts';
export { isRedisSimple, type RedisSimpleConfig } from './backends/redis-simple.ts';
export { isRedlock, type RedlockConfig } from './backends/redlock.ts';
export { isZk, parseZkUrl, type ZkConfig } from './backends/zk.ts';
export type { Arguments, OptionKinds } from './cli/arguments.ts';
export type { Command, CommandBody } from './cli/command.ts';
export { type Io, type Out, printable, printableLines } from './cli/io.ts';
export { sourceFromEnv } from './cli/source-argument.ts';
export { UsageError } from './cli/usage-error.ts';
export { holdfastVersion } from './cli/version.ts';
export { type ResolvedConfig, resolveSource } from './config/source.ts';
export { openBackend, openLocks, openResolved } from './open-locks.ts';
