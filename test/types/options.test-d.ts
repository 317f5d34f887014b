import type { BackendUnderTest } from '@holdfast/conformance';
import type {
  AcquireOptions,
  HoldOptions,
  Locks,
  LocksOptions,
  TryUseOptions,
} from '@holdfast/core';
import type { CloseOptions, HostOptions, MemoryOptions } from '@holdfast/core/backend';
import type {
  MemoryConfig,
  OpenOptions,
  RedisGetsetConfig,
  RedisSimpleConfig,
  RedlockConfig,
  ZkConfig,
} from 'holdfast';
import { openLocks } from 'holdfast';
import { expectTypeOf, test } from 'vitest';

type Optional<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
/** All options that may be left out, each written as undefined. */
type Unset<T> = { readonly [K in Optional<T>]: undefined };

type SubjectOptions = Pick<BackendUnderTest, 'ttlMs' | 'slackMs' | 'faults' | 'flaws'>;

test('an option that may be left out may be undefined, too, under exactOptionalPropertyTypes', () => {
  expectTypeOf<Unset<AcquireOptions>>().toExtend<AcquireOptions>();
  expectTypeOf<Unset<HoldOptions>>().toExtend<HoldOptions>();
  expectTypeOf<Unset<TryUseOptions>>().toExtend<TryUseOptions>();
  expectTypeOf<Unset<LocksOptions>>().toExtend<LocksOptions>();
  expectTypeOf<Unset<CloseOptions>>().toExtend<CloseOptions>();
  expectTypeOf<Unset<MemoryOptions>>().toExtend<MemoryOptions>();
  expectTypeOf<Unset<HostOptions>>().toExtend<HostOptions>();
  expectTypeOf<Unset<OpenOptions>>().toExtend<OpenOptions>();
  expectTypeOf<Unset<NonNullable<HostOptions['on']>>>().toExtend<HostOptions['on']>();
  expectTypeOf<Unset<SubjectOptions>>().toExtend<SubjectOptions>();
});

test('these types hold for every configuration', () => {
  expectTypeOf<Unset<MemoryConfig> & { backend: 'memory' }>().toExtend<MemoryConfig>();
  expectTypeOf<
    Unset<RedisSimpleConfig> & { backend: 'redis-simple' }
  >().toExtend<RedisSimpleConfig>();
  expectTypeOf<
    Unset<RedisGetsetConfig> & { backend: 'redis-getset' }
  >().toExtend<RedisGetsetConfig>();
  expectTypeOf<
    Unset<RedlockConfig> & { backend: 'redlock'; nodes: [] }
  >().toExtend<RedlockConfig>();
  expectTypeOf<Unset<ZkConfig> & { backend: 'zk'; url: string }>().toExtend<ZkConfig>();
});

test('a misspelt option does not compile, and options of your own backend go under options', () => {
  // @ts-expect-error -- no such option
  void openLocks({ backend: 'redis-simple', url: 'redis://localhost', tllMs: 5_000 });
  // @ts-expect-error -- of its own, but not under options
  void openLocks({ backend: './mine.js', endpoints: [] });
  const own = openLocks({ backend: './mine.js', options: { endpoints: [] }, ttlMs: 5_000 });
  expectTypeOf(own).resolves.toEqualTypeOf<Locks>();
});
