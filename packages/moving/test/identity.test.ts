import type { Capabilities } from '@holdfast/core';
import { capabilitiesOfBoth } from '@holdfast/moving';
import { expect, test } from 'vitest';

const REDIS: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'ap',
  fencing: 'best-effort',
  queue: 'none',
  wakeUp: 'push',
  survives: ['none', 'pause', 'delay'],
};
const ZOOKEEPER: Capabilities = {
  lease: 'session',
  timeAuthority: 'leader',
  consistency: 'cp',
  fencing: 'strict',
  queue: 'fifo',
  wakeUp: 'push',
  survives: ['none', 'delay', 'failover'],
};

test.each([
  [REDIS, ZOOKEEPER],
  [ZOOKEEPER, REDIS],
])('two stores promise together what both promise, whichever is moved from', (from, to) => {
  expect(capabilitiesOfBoth(from, to)).toEqual({
    lease: 'session',
    timeAuthority: 'server',
    consistency: 'ap',
    fencing: 'best-effort',
    queue: 'none',
    wakeUp: 'push',
    exclusiveSince: 'readers in one store do not know of those in the other',
    survives: ['none', 'delay'],
  });
});

test('a backend that says of no fault that it survives it promises none together with another', () => {
  const { survives: _, ...silent } = REDIS;

  expect(capabilitiesOfBoth(silent, ZOOKEEPER).survives).toEqual([]);
  expect(capabilitiesOfBoth(ZOOKEEPER, silent).survives).toEqual([]);
});
