import { expect, test } from 'vitest';
import { type EtcdHoldParts, EtcdHoldState } from '../../src/servers/etcd/simulated/hold-state.ts';

/** The hold of the first attempt of c0ffee, while the leader stores one key. */
function holdBeside(key: string): EtcdHoldState {
  const parts = { servers: [], leader: { store: { keys: [{ key }] } } };
  return new EtcdHoldState(parts as unknown as EtcdHoldParts, {} as EtcdHoldParts, 'c0ffee:1:a');
}

test.each(['', ':shared', ':permits:1:2'])('a hold lasts while its key is there: %j', (mode) => {
  expect(holdBeside(`locks/k/c0ffee-1${mode}`).freeAtMs()).toBe(Number.POSITIVE_INFINITY);
  expect(holdBeside(`locks/k/c0ffee-11${mode}`).freeAtMs()).toBe(Number.NEGATIVE_INFINITY);
});
