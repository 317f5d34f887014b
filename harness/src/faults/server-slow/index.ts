import fc from 'fast-check';
import {
  type Circumstances,
  injectionTimes,
  PLAIN,
  serverOf,
} from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { LASTING } from '../../sim/schedule/fields.ts';
import type { Choreography, Deployment } from '../../sim/schedule/real.ts';
import { OVER, word } from '../parts/real.ts';
import { injectIntoPeers, ON_SERVERS, type OnServers, outageMs } from '../parts/servers.ts';

/** The server executes every client request `byMs` late. */
type ServerSlow = OnServers & { readonly byMs: number };

/** Often over before the next message, which then overlaps with the delayed one. */
const spanMs = fc.oneof(fc.nat(100), outageMs);
/** A call may take a tenth of the ttl, which is 1 s, there and back. */
const belowMs = fc.integer({ min: 5, max: 80 });
const aboveMs = fc.integer({ min: 120, max: 1_500 });

/** In ttls. */
const REAL_DELAY_TTLS = { below: 1 / 20, above: 1 / 4 };

export const serverSlow: FaultUnderTest<ServerSlow> = {
  id: 'server-slow',
  meaning: 'a server replies to everything, health checks too, but slowly',
  reason: 'a server executed a request late',
  fields: { ...ON_SERVERS, numbers: { ...ON_SERVERS.numbers, byMs: LASTING } },
  // The deadline of a call.
  varies: ['below', 'above'],
  needs: 'servers',
  generate,
  arm: (run, fault, index) =>
    injectIntoPeers(run, fault, index, () => run.cluster.slow?.(fault.nodes, fault.byMs, fault.ms)),
  text: ({ byMs, ms }) => `replies ${byMs} ms late for ${ms} ms`,
  real: (deployment) => [
    slow(deployment, REAL_DELAY_TTLS.below, 'below'),
    slow(deployment, REAL_DELAY_TTLS.above, 'above'),
  ],
};

function generate(circumstances: Circumstances): fc.Arbitrary<ServerSlow> {
  const { variation } = circumstances;
  return fc.record(
    {
      kind: fc.constant('server-slow'),
      nodes: serverOf(circumstances),
      when: injectionTimes(circumstances),
      ms: spanMs,
      byMs: variation === 'below' ? belowMs : aboveMs,
    },
    PLAIN,
  );
}

function slow(deployment: Deployment, ttls: number, side: 'below' | 'above'): Choreography {
  const { called, servers, ttlMs } = deployment;
  const ms = ttls * ttlMs;
  const one = servers === 1 ? called : `one of the ${word(servers)}`;
  return {
    description: `${one} replies to everything ${ms} ms late, which is ${side} the deadline of a call`,
    variant: 'above the deadline',
    steps: [{ do: 'slow', servers: [0], ms }, OVER, { do: 'heal', held: 'arrives' }],
  };
}
