import type { FaultId } from '@holdfast/core';

interface Unplayed {
  readonly faults: readonly FaultId[];
  readonly backend: string;
  readonly why: string;
}

/** What is played on some backends, and not on these. */
const PAIRS: readonly Unplayed[] = [
  {
    faults: ['pause-acquire'],
    backend: 'redis-getset',
    why: 'it breaks between its look at the clock and what it sends, and a signal cannot be aimed there; it is only simulated',
  },
  {
    faults: ['lost-wakeup'],
    backend: 'redis-getset',
    why: 'nobody is told of anything: who waits asks again and again',
  },
  {
    faults: ['failover', 'split-brain', 'peer-cut'],
    backend: 'redlock',
    why: 'its nodes know nothing of each other, so that none takes over from another',
  },
  {
    faults: ['split-brain'],
    backend: 'zk',
    why: 'a leader that is cut from both followers is played as peer-cut',
  },
];

/** Why a fault is not played on a backend, although it is on others. */
export function reasonOf(fault: string, backend: string): string | undefined {
  return PAIRS.find(
    (pair) => pair.backend === backend && pair.faults.some((each) => each === fault),
  )?.why;
}

/** What real servers cannot be made to show, and why. */
export const UNPLAYED: readonly string[] = [
  'drift is only simulated: one host has one clock, and it runs at one rate',
  ...PAIRS.map(({ faults, backend, why }) => `${faults.join(', ')} on ${backend}: ${why}`),
  'failover and split-brain between servers whose clocks differ are only simulated',
  'zk without the data of a majority, or with torn logs of a minority, is only simulated; one server that forgets shows the first',
];
