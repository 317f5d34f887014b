import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { expect, expectTypeOf, test, vi } from 'vitest';
import * as core from '../src/errors.ts';
import {
  ConfigError,
  isLockError,
  LockError,
  type LockErrorCode,
  LockTimeoutError,
} from '../src/errors.ts';

/** The classes as another copy of this library has them. */
async function copied(): Promise<typeof core> {
  vi.resetModules();
  return await import('../src/errors.ts');
}

test('an error of another copy of this library is one, though it is no instance of our class', async () => {
  const copy = await copied();
  const error = new copy.LockTimeoutError('busy', { holderRemainingMs: 5 });

  expect(error).not.toBeInstanceOf(LockError);
  expect(isLockError(error)).toBe(true);
  expect(isLockError(error, 'LOCK_TIMEOUT')).toBe(true);
  expect(isLockError(error, 'LOCK_LOST')).toBe(false);
});

/** The classes in a global scope of their own, as in a test of Jest. */
async function ofAnotherRealm(): Promise<typeof core> {
  const build = await rolldown({
    input: fileURLToPath(new URL('../src/errors.ts', import.meta.url)),
  });
  const { output } = await build.generate({ format: 'iife', name: 'errors' });
  await build.close();
  return runInNewContext(`${output[0].code}\nerrors`);
}

test('an error of another realm is one, though it is no instance of our Error either', async () => {
  const other = await ofAnotherRealm();
  const error = new other.LockTimeoutError('busy', { holderRemainingMs: 5 });

  expect(error).not.toBeInstanceOf(Error);
  expect(isLockError(error, 'LOCK_TIMEOUT')).toBe(true);
  expect(isLockError(error, 'LOCK_LOST')).toBe(false);
});

test.for([undefined, null, 'LOCK_TIMEOUT', new Error('busy'), { code: 'LOCK_TIMEOUT' }, LockError])(
  '%s is none',
  (value) => {
    expect(isLockError(value)).toBe(false);
    expect(isLockError(value, 'LOCK_TIMEOUT')).toBe(false);
  },
);

test('a code tells the type, with the fields of its class', () => {
  const timeout: unknown = new LockTimeoutError('busy', { holderRemainingMs: 5 });
  const closed: unknown = new LockError('CLOSED', 'closed');

  if (!isLockError(timeout, 'LOCK_TIMEOUT') || !isLockError(closed, 'CLOSED'))
    throw new Error('it is not recognised');

  expect(timeout.holderRemainingMs).toBe(5);
  expect(closed.code).toBe('CLOSED');
  expectTypeOf(timeout).toEqualTypeOf<LockTimeoutError>();
  expectTypeOf(closed.code).toEqualTypeOf<'CLOSED'>();
  expectTypeOf(new LockError('ERR', '').code).toEqualTypeOf<LockErrorCode>();
  expectTypeOf(new ConfigError('').code).toEqualTypeOf<'CONFIG'>();
  // @ts-expect-error -- no such code
  expect(isLockError(closed, 'CLOSE')).toBe(false);
});
