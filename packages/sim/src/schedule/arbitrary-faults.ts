import type { FaultId } from '@holdfast/core';
import fc from 'fast-check';
import {
  allOf,
  blows,
  type Circumstances,
  client,
  doubtedOf,
  few,
  longMs,
  majorityOf,
  maskOf,
  PLAIN,
  pointsOf,
  requestsOf,
  roadsOf,
  soon,
  TTL_MS,
} from './arbitrary-parts.ts';
import {
  drift,
  inside,
  ofClient,
  ofMessage,
  ofNodes,
  peerCut,
  whileAcquiring,
  whileHolding,
} from './arbitrary-shapes.ts';
import type { Fault, FaultKind } from './schedule.ts';

export type { Circumstances } from './arbitrary-parts.ts';

type Make = (circumstances: Circumstances) => fc.Arbitrary<Fault>;

const CLIENTS = ['a', 'b', 'c'];

/** The faults of one kind; none for `none`. */
export function faultsOf(kind: FaultId, circumstances: Circumstances): fc.Arbitrary<Fault>[] {
  return kind === 'none' ? [] : [MAKE[kind](circumstances)];
}

const briefMs = fc.nat(200);
const jumpMs = fc.integer({ min: 1, max: 3 * TTL_MS });
/** By then whatever a server has forgotten is over. */
const delayMs = fc.integer({ min: TTL_MS, max: 3 * TTL_MS });
const outageMs = fc.nat(3 * TTL_MS);

const MAKE: Readonly<Record<FaultKind, Make>> = {
  delay: (c) => ofMessage('delay', c, requestsOf(c), fc.nat(TTL_MS)),
  reorder: (c) => ofMessage('reorder', c, [...requestsOf(c), 'write', 'write'], fc.nat(4 * TTL_MS)),
  'lost-reply': (c) =>
    fc.record(
      {
        kind: fc.constant('lost-reply' as const),
        client,
        nodes: roadsOf(c),
        label: fc.constantFrom(...doubtedOf(c)),
        n: few,
      },
      PLAIN,
    ),
  pause: (c) => ofClient('pause', whileHolding(pointsOf(c)), longMs),
  'pause-acquire': (c) => ofClient('pause-acquire', whileAcquiring(pointsOf(c)), longMs),
  'loop-block': () => ofClient('loop-block', inside, longMs),
  suspend: (c) => ofClient('suspend', whileHolding(pointsOf(c)), longMs),
  'client-clock': (c) =>
    ofClient('client-clock', whileHolding(pointsOf(c)), fc.integer({ min: -4_000, max: 4_000 })),
  drift,
  'server-clock-forward': (c) => ofNodes('server-clock-forward', c, jumpMs),
  'server-clock-back': (c) => ofNodes('server-clock-back', c, jumpMs),
  'server-stop': (c) => ofNodes('server-stop', c, outageMs),
  'restart-empty': (c) =>
    ofNodes('restart-empty', c, c.delayedRestart === true ? delayMs : briefMs),
  'restart-durable': (c) => ofNodes('restart-durable', c, outageMs),
  'torn-log': (c) =>
    fc.record(
      {
        kind: fc.constant('torn-log' as const),
        nodes: maskOf(c),
        when: blows(c),
        ms: briefMs,
        writes: fc.integer({ min: 1, max: 6 }),
      },
      PLAIN,
    ),
  failover: (c) => ofNodes('failover', c, briefMs),
  'split-brain': (c) =>
    fc.record(
      {
        kind: fc.constant('split-brain' as const),
        nodes: maskOf(c),
        when: blows(c),
        ms: outageMs,
        stay: fc.constantFrom('a', 'b', 'c', 'ab', 'ac', 'bc'),
      },
      PLAIN,
    ),
  'client-cut': (c) =>
    fc.record(
      {
        kind: fc.constant('client-cut' as const),
        client,
        nodes: fc.oneof(fc.constant(allOf(c)), maskOf(c)),
        when: blows(c),
        ms: outageMs,
        way: fc.constantFrom(
          'both' as const,
          'both' as const,
          'request' as const,
          'reply' as const,
        ),
      },
      PLAIN,
    ),
  'peer-cut': (c) => peerCut(c, outageMs),
  'majority-down': (c) => ofNodes('majority-down', c, outageMs, majorityOf(c)),
  'holder-crash': () => {
    const each = CLIENTS.map((by) =>
      fc.record(
        {
          kind: fc.constant('holder-crash' as const),
          client: fc.constant(by),
          when: fc.oneof(inside(by), inside(by), soon),
        },
        PLAIN,
      ),
    );
    return fc.oneof(...each);
  },
  'lost-wakeup': (c) =>
    fc.record(
      { kind: fc.constant('lost-wakeup' as const), client, nodes: roadsOf(c), n: few },
      PLAIN,
    ),
  swizzle: (c) =>
    fc.record(
      {
        kind: fc.constant('swizzle' as const),
        nodes: fc.oneof(fc.constant(allOf(c)), maskOf(c)),
        when: blows(c),
        ms: fc.nat(TTL_MS),
        gapMs: fc.nat(TTL_MS / 2),
        order: fc.nat(119),
      },
      PLAIN,
    ),
};
