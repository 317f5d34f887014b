import type { ServiceError } from '@grpc/grpc-js';
import { Metadata, status } from '@grpc/grpc-js';
import { LockError } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { isOfThisServer, isStaleToken, portError } from '../src/adapters/grpc/failures.ts';
import { failureOf } from '../src/failures.ts';

function failed(code: status, details: string): ServiceError {
  return Object.assign(new Error(`${code} ${details}`), {
    code,
    details,
    metadata: new Metadata(),
  });
}

/** As etcd words them (api/v3rpc/rpctypes/error.go), and what happens to an attempt. */
const ROWS: readonly (readonly [status, string, string, boolean])[] = [
  [status.NOT_FOUND, 'etcdserver: requested lease not found', 'unavailable', false],
  [status.FAILED_PRECONDITION, 'etcdserver: lease already exists', 'unavailable', false],
  [status.PERMISSION_DENIED, 'etcdserver: permission denied', 'refused', false],
  [
    status.INVALID_ARGUMENT,
    'etcdserver: authentication failed, invalid user ID or password',
    'refused',
    false,
  ],
  [status.INVALID_ARGUMENT, 'etcdserver: user name is empty', 'refused', false],
  [status.FAILED_PRECONDITION, 'etcdserver: authentication is not enabled', 'refused', false],
  [status.INVALID_ARGUMENT, 'etcdserver: duplicate key given in txn request', 'unavailable', false],
  [
    status.OUT_OF_RANGE,
    'etcdserver: mvcc: required revision has been compacted',
    'unavailable',
    false,
  ],
  [status.RESOURCE_EXHAUSTED, 'etcdserver: too many requests', 'unavailable', false],
  [status.RESOURCE_EXHAUSTED, 'etcdserver: mvcc: database space exceeded', 'unavailable', false],
  [status.RESOURCE_EXHAUSTED, 'Received message larger than max', 'unknown', true],
  [status.UNAVAILABLE, 'etcdserver: no leader', 'unavailable', true],
  [status.UNAVAILABLE, 'etcdserver: server stopped', 'unknown', true],
  [status.UNAVAILABLE, 'etcdserver: leader changed', 'unknown', true],
  [status.UNAVAILABLE, 'etcdserver: request timed out', 'unknown', true],
  [status.UNAVAILABLE, 'Connection dropped', 'unknown', true],
  [status.UNKNOWN, '', 'unknown', true],
  [status.INTERNAL, 'Received RST_STREAM with code 2', 'unknown', true],
  [status.CANCELLED, 'Cancelled on client', 'unknown', true],
];

describe('a reply', () => {
  test.each(ROWS)('%i %s makes an attempt %s', (code, details, kind, triesAnother) => {
    const error = portError(failed(code, details), 'etcd1:2379');

    expect(failureOf(error, 'k').kind).toBe(kind);
    expect(isOfThisServer(error)).toBe(triesAnother);
    expect(error.message).toContain('etcd1:2379');
  });

  test.each(['invalid auth token', 'revision of auth store is old'])(
    '%s asks for another token, and no other reply does',
    (details) => {
      const stale = failed(status.UNAUTHENTICATED, `etcdserver: ${details}`);
      expect(isStaleToken(portError(stale, 'etcd1:2379'))).toBe(true);
      const other = failed(status.UNAUTHENTICATED, 'etcdserver: something else');
      expect(isStaleToken(portError(other, 'etcd1:2379'))).toBe(false);
    },
  );

  test('that refuses a key for good names key and backend, and keeps the cause', () => {
    const cause = portError(
      failed(status.PERMISSION_DENIED, 'etcdserver: permission denied'),
      'a:1',
    );
    const failure = failureOf(cause, 'orders/42');

    if (failure.kind !== 'refused') throw new Error(failure.kind);
    expect(failure.error).toBeInstanceOf(LockError);
    expect(failure.error).toMatchObject({
      code: 'NO_AUTH',
      key: 'orders/42',
      backend: 'etcd',
      cause,
    });
  });
});
