import { InvalidOptionError, type LockEvent } from '@holdfast/core';
import { createHost, createLocks, openMemory, systemRuntime } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { Bench, microtasks } from './support/bench.ts';

const warning = { type: 'warning', backend: 'x', code: 'EVICTION', message: 'beware' } as const;
const forced = { type: 'forced', key: 'k', backend: 'x', outcome: 'released' } as const;

test.each([
  [
    { lable: 'a' },
    'unknown option \'lable\'; use one of runtime, label, on. Did you mean "label"?',
  ],
  [{ label: 5 }, 'option label must be a string, not 5'],
  [{ runtime: 'system' }, 'option runtime must be a Runtime, not "system"'],
  [{ runtime: null }, 'option runtime must be a Runtime, not null'],
  [{ runtime: {} }, 'option runtime must be a Runtime, but it has no now()'],
  [
    { runtime: { ...systemRuntime(), timer: 5 } },
    'option runtime must be a Runtime, but it has no timer()',
  ],
  [{ on: null }, 'events must be an object, not null'],
  [{ on: { losst: () => {} } }, /^unknown event 'losst'; .*Did you mean "lost"\?$/],
  [{ on: { lost: 'log' } }, 'the listener of \'lost\' must be a function, not "log"'],
  ['label', 'options must be an object, not "label"'],
])('a host is not made of %j', (options, message) => {
  // @ts-expect-error -- what code without types may pass
  const make = (): unknown => createHost(options);

  expect(make).toThrow(InvalidOptionError);
  expect(make).toThrow(message);
});

test.each(['losst', 'constructor', undefined, 5])(
  '%j is not an event, and cannot have a listener',
  (type) => {
    const { locks } = new Bench().fake();
    // @ts-expect-error -- what code without types may pass
    const listen = (): unknown => locks.on(type, () => {});

    expect(listen).toThrow(InvalidOptionError);
    expect(listen).toThrow(/unknown event '.*'; use one of contended, acquired/);
  },
);

test('a listener is a function', () => {
  const { locks } = new Bench().fake();

  // @ts-expect-error -- what code without types may pass
  expect(() => locks.on('lost', undefined)).toThrow(
    "the listener of 'lost' must be a function, not undefined",
  );
});

test('a listener may be left out, and come from an object that has others', () => {
  const heard: LockEvent[] = [];
  const shared = { warning: (event: LockEvent) => void heard.push(event) };

  const host = createHost({
    label: undefined,
    on: Object.assign(Object.create(shared), { lost: undefined }),
  });
  host.emit(warning);

  expect(heard).toEqual([warning]);
});

test('an async listener that rejects is reported as a warning, and does not crash the process', async () => {
  const cause = new Error('no such metric');
  const heard: LockEvent[] = [];
  const host = createHost({ on: { warning: (event) => void heard.push(event) } });
  host.on('forced', async () => {
    throw cause;
  });

  host.emit(forced);
  await microtasks(3);

  const message = "a listener of 'forced' was rejected";
  expect(heard).toEqual([{ ...warning, code: 'LISTENER_THREW', message, cause }]);
});

test('an async listener of warnings that rejects is not reported, so that warnings do not repeat without end', async () => {
  let heard = 0;
  const host = createHost();
  host.on('warning', async () => {
    heard++;
    throw new Error('no such metric');
  });

  host.emit(warning);
  await microtasks(10);

  expect(heard).toBe(1);
});

test.each([
  [{ require: 'fencing' }, 'ConfigError', 'require must be a list, not "fencing"'],
  [{ require: new Set(['cp']) }, 'ConfigError', 'require must be a list, not an object'],
  [{ require: ['fencin'] }, 'ConfigError', /unknown requirement 'fencin'; .*mean "fencing"\?$/],
  [{ require: [Symbol('cp')] }, 'ConfigError', /unknown requirement 'Symbol\(cp\)'/],
  [{ requires: ['cp'] }, 'InvalidOptionError', /unknown option 'requires'; .*mean "require"\?$/],
  [null, 'InvalidOptionError', 'options must be an object, not null'],
])('locks are not made of %j', (options, name, message) => {
  const { backend } = new Bench().fake();
  // @ts-expect-error -- what code without types may pass
  const make = (): unknown => createLocks(backend, createHost(), options);

  expect(make).toThrow(expect.objectContaining({ name }));
  expect(make).toThrow(message);
});

test('a host can tell if anything listens to a type of event', () => {
  const host = createHost({ on: { lost: () => undefined } });
  const stop = host.on('warning', () => undefined);
  expect([host.hears?.('lost'), host.hears?.('warning'), host.hears?.('node')]).toEqual([
    true,
    true,
    false,
  ]);

  stop();

  expect(host.hears?.('warning')).toBe(false);
});

test('of events that nobody hears none is made, through the whole life of a lease', async () => {
  const emitted: LockEvent[] = [];
  const emit = (event: LockEvent): void => void emitted.push(event);
  const host = { ...createHost(), emit, hears: () => false };
  const locks = createLocks(await openMemory({}, host), host);

  await (await locks.acquire('k')).release();
  await (await locks.acquire('k')).export();
  await locks.close();

  expect(emitted).toEqual([]);
});
