import type { Capabilities } from '@holdfast/core';

/** The backend's name in configurations, events, errors and reports. */
export const NAME = 'moving';

type Ordered = Exclude<keyof Capabilities, 'survives' | 'modes' | 'exclusiveSince'>;

/** The values of each capability, from the strongest promise to the weakest. */
const STRENGTH: { readonly [C in Ordered]: readonly Capabilities[C][] } = {
  lease: ['per-call-ttl', 'session'],
  timeAuthority: ['leader', 'process', 'server', 'client'],
  consistency: ['cp', 'ap', 'none'],
  fencing: ['strict', 'best-effort', 'none'],
  queue: ['fifo', 'none'],
  wakeUp: ['push', 'poll'],
};

/**
 * The promises of two stores together: of each capability what both give.
 * @example
 * ```ts
 * const from = await openRedisSimple({ source: 'redis://old' }, host);
 * const to = await openZk({ servers: ['zk1:2181'] }, host);
 * log(capabilitiesOfBoth(from.capabilities, to.capabilities).consistency);
 * ```
 */
export function capabilitiesOfBoth(a: Capabilities, b: Capabilities): Capabilities {
  const weaker = <C extends Ordered>(capability: C): Capabilities[C] => {
    const order = STRENGTH[capability];
    return order.indexOf(a[capability]) < order.indexOf(b[capability])
      ? b[capability]
      : a[capability];
  };
  return {
    lease: weaker('lease'),
    timeAuthority: weaker('timeAuthority'),
    consistency: weaker('consistency'),
    fencing: weaker('fencing'),
    queue: weaker('queue'),
    wakeUp: weaker('wakeUp'),
    exclusiveSince: 'readers in one store do not know of those in the other',
    survives: (a.survives ?? []).filter((fault) => b.survives?.includes(fault)),
  };
}
