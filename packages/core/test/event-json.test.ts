import { BackendUnavailableError, type LockEvent } from '@holdfast/core';
import { createHost } from '@holdfast/core/backend';
import { expect, test } from 'vitest';

const TOKEN = 9_007_199_254_740_993n;

/** What a listener that writes JSON has written of an event. */
function written(event: LockEvent): unknown {
  const lines: string[] = [];
  const host = createHost();
  host.on(event.type, (heard) => lines.push(JSON.stringify(heard)));
  host.emit(event);
  return JSON.parse(lines[0] ?? 'null');
}

test('an event is written as JSON, a token of any size in decimal digits', () => {
  const acquired = {
    type: 'acquired',
    key: 'k',
    backend: 'memory',
    contender: 'c',
    waitedMs: 1,
    attempts: 1,
    leaseMs: 1_000,
  } as const;

  expect(written({ ...acquired, fencingToken: TOKEN })).toEqual({
    ...acquired,
    fencingToken: '9007199254740993',
  });
  expect(written(acquired)).toEqual(acquired);
});

test('a cause is written by its name, message and code, whatever it is', () => {
  const warning = { type: 'warning', backend: 'memory', code: 'x', message: 'y' } as const;
  const unavailable = new BackendUnavailableError('down', { key: 'k', cause: new Error('deep') });
  const circular: Record<string, unknown> = {};
  circular['itself'] = circular;

  expect(written({ ...warning, cause: unavailable })).toEqual({
    ...warning,
    cause: { name: 'BackendUnavailableError', message: 'down', code: 'BACKEND_UNAVAILABLE' },
  });
  expect(written({ ...warning, cause: new TypeError('no') })).toEqual({
    ...warning,
    cause: { name: 'TypeError', message: 'no' },
  });
  expect(written({ ...warning, cause: circular })).toEqual({
    ...warning,
    cause: 'an object',
  });
  expect(written({ ...warning, cause: 5n })).toEqual({ ...warning, cause: '5' });
});

test('listeners see every field as it was emitted, of a frozen event too', () => {
  const cause = new Error('down');
  const event = Object.freeze({
    type: 'node',
    backend: 'b',
    node: 'n',
    outcome: 'x',
    cause,
  } as const);
  const heard: LockEvent[] = [];
  const host = createHost({ on: { node: (each) => heard.push(each) } });

  host.emit(event);

  expect(heard).toStrictEqual([event]);
  expect(Object.keys(heard[0] ?? {})).toEqual(Object.keys(event));
});
