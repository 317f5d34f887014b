import {
  type Lease,
  type Locks,
  type MultiLease,
  type MultiLock,
  type Requirement,
  type TryUse,
} from '@holdfast/core';
import {
  type Backend,
  createLocks,
  type ListenableHost,
  type Release,
} from '@holdfast/core/backend';
import { expectTypeOf, test } from 'vitest';

declare const backend: Backend;
declare const host: ListenableHost;
declare const requirements: Requirement[];
declare const either: 'fencing' | 'cp';

test('a literal requirement of fencing makes every token a bigint', () => {
  const fenced = createLocks(backend, host, { require: ['fencing'] });
  const strict = createLocks(backend, host, { require: ['cp', 'strict-fencing'] });

  expectTypeOf(fenced).toEqualTypeOf<Locks<bigint>>();
  expectTypeOf(strict).toEqualTypeOf<Locks<bigint>>();
  expectTypeOf<ReturnType<typeof fenced.acquire>>().toEqualTypeOf<Promise<Lease<bigint>>>();
  const lock = fenced.for('k');
  expectTypeOf<ReturnType<typeof lock.tryAcquire>>().resolves.toEqualTypeOf<Lease<bigint> | null>();
  expectTypeOf<Lease<bigint>['fencingToken']>().toEqualTypeOf<bigint>();
  void fenced.use('k', ({ fencingToken }) => expectTypeOf(fencingToken).toEqualTypeOf<bigint>());
  void fenced.tryUse('k', ({ fencingToken }) => expectTypeOf(fencingToken).toEqualTypeOf<bigint>());
});

test('a list of keys gets one lease with a token for each, also from a bound lock', () => {
  const fenced = createLocks(backend, host, { require: ['fencing'] });
  const keys = ['a', 'b'] as const;

  expectTypeOf(fenced.acquire(keys)).resolves.toEqualTypeOf<MultiLease<bigint>>();
  expectTypeOf(fenced.tryAcquire(keys)).resolves.toEqualTypeOf<MultiLease<bigint> | null>();
  expectTypeOf(fenced.use(keys, () => 7)).resolves.toEqualTypeOf<number>();
  expectTypeOf(fenced.tryUse(keys, async () => 'x')).resolves.toEqualTypeOf<TryUse<string>>();
  expectTypeOf(fenced.for(keys)).toEqualTypeOf<MultiLock<bigint>>();
  void fenced.for([...keys]).use(({ fencingTokens }) => {
    expectTypeOf(fencingTokens).toEqualTypeOf<ReadonlyMap<string, bigint>>();
  });
  // @ts-expect-error -- there is a token for each key
  void fenced.use(keys, ({ fencingToken }) => fencingToken);
});

test('without it a token may be missing', () => {
  type Maybe = Locks;

  expectTypeOf(createLocks(backend, host)).toEqualTypeOf<Maybe>();
  expectTypeOf(createLocks(backend, host, { ttlMs: 5_000 })).toEqualTypeOf<Maybe>();
  expectTypeOf(createLocks(backend, host, { require: [] })).toEqualTypeOf<Maybe>();
  expectTypeOf(createLocks(backend, host, { require: ['cp', 'fifo'] })).toEqualTypeOf<Maybe>();
});

test('a requirement that the compiler cannot see promises nothing', () => {
  type Maybe = Locks;

  expectTypeOf(createLocks(backend, host, { require: requirements })).toEqualTypeOf<Maybe>();
  expectTypeOf(createLocks(backend, host, { require: [either] })).toEqualTypeOf<Maybe>();
  expectTypeOf(
    createLocks(backend, host, { require: ['cp', ...requirements] }),
  ).toEqualTypeOf<Maybe>();
  // One that it can see counts, whatever follows.
  expectTypeOf(createLocks(backend, host, { require: ['fencing', ...requirements] })).toEqualTypeOf<
    Locks<bigint>
  >();
});

test('what does not exist cannot be required, and misspelt options do not compile', () => {
  // @ts-expect-error -- no such requirement
  createLocks(backend, host, { require: ['fenced'] });
  // @ts-expect-error -- no such option
  createLocks(backend, host, { tllMs: 5_000 });
  const locks = createLocks(backend, host);
  // @ts-expect-error -- a single attempt waits for nothing
  void locks.tryAcquire('k', { waitMs: 5 });
  // @ts-expect-error -- only tryUse keeps
  void locks.use('k', () => {}, { keepMs: 5 });
  expectTypeOf(locks).toEqualTypeOf<Locks>();
});

test('the results are what the body returns', () => {
  const locks = createLocks(backend, host);

  expectTypeOf(locks.use('k', () => 42)).toEqualTypeOf<Promise<number>>();
  expectTypeOf(locks.use('k', async () => 'x')).toEqualTypeOf<Promise<string>>();
  expectTypeOf(locks.tryUse('k', () => 42)).toEqualTypeOf<Promise<TryUse<number>>>();
  expectTypeOf<Lease['release']>().returns.resolves.toEqualTypeOf<Release>();
  expectTypeOf<Lease>().toExtend<AsyncDisposable>();
});
