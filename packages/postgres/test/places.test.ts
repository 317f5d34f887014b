import { expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { Places } from '../src/modes/places.ts';
import { modeStatementsOf } from '../src/modes/statements.ts';
import { tablesOf } from '../src/schema.ts';

const HOLD = { key: 'k', mode: { kind: 'permits', permits: 1, of: 3 }, ttlMs: 10_000 } as const;

/** The places of one process, and the contenders that it has called. */
function placesOf(): { readonly places: Places; readonly called: string[] } {
  const called: string[] = [];
  const runtime = new VirtualRuntime();
  const places = new Places({
    database: {
      address: 'pg',
      run: () => Promise.reject(new Error('no message is sent here')),
    },
    modes: modeStatementsOf(tablesOf(undefined), false),
    namespace: 'n',
    host: { runtime, label: 'a', emit: () => undefined },
    releases: { wake: (payload) => void called.push(payload.split('\n').at(-1) ?? '') },
  });
  return { places, called };
}

test('each release calls the next waiter that is not called, in the order in which they came', () => {
  const { places, called } = placesOf();
  for (const contender of ['a', 'b', 'c']) places.enter({ ...HOLD, contender });
  places.callNext(HOLD);
  places.callNext(HOLD);
  expect(called).toEqual(['a', 'b']);

  // Its attempt was in vain, so it waits again: before those behind it.
  places.enter({ ...HOLD, contender: 'a' });
  places.callNext(HOLD);
  expect(called).toEqual(['a', 'b', 'a']);
  for (let i = 0; i < 2; i++) places.callNext(HOLD);
  expect(called).toEqual(['a', 'b', 'a', 'c']);
});

test('attempts go in the order in which their contenders came, newcomers last and as they come', () => {
  const { places } = placesOf();
  for (const contender of ['a', 'b', 'c']) places.enter({ ...HOLD, contender });
  places.leave({ ...HOLD, contender: 'b' });

  expect(places.inOrder(HOLD, ['y:1:x', 'c:7:x', 'z:1:x', 'a:12:x', 'b:2:x'])).toEqual([
    'a:12:x',
    'c:7:x',
    'y:1:x',
    'z:1:x',
    'b:2:x',
  ]);
});

test('nobody is called who would need a message of its own: a waiter that is alone, or wants another number of permits', () => {
  const { places, called } = placesOf();
  places.callNext(HOLD);
  places.enter({ ...HOLD, contender: 'many', mode: { ...HOLD.mode, permits: 2 } });
  places.callNext(HOLD);
  places.enter({ ...HOLD, contender: 'a' });
  places.callNext(HOLD);
  expect(called).toEqual([]);

  places.enter({ ...HOLD, contender: 'b' });
  places.leave({ ...HOLD, contender: 'many' });
  places.callNext(HOLD);
  places.leave({ ...HOLD, contender: 'a' });
  places.callNext(HOLD);
  expect(called).toEqual(['a']);
});
