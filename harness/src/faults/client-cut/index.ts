import fc from 'fast-check';
import {
  allOf,
  client,
  injectionTimes,
  maskOf,
  PLAIN,
} from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { LASTING, MASK } from '../../sim/schedule/fields.ts';
import type { Choreography, Deployment, Step } from '../../sim/schedule/real.ts';
import type { Run } from '../../sim/schedule/run.ts';
import type { Way } from '../../sim/schedule/schedule.ts';
import type { ClientField } from '../parts/elements.ts';
import { areIndependent, first, majorityIn, OVER, some, TAKEOVER } from '../parts/real.ts';
import { injectIntoServers, type OnServers, outageMs } from '../parts/servers.ts';

/** No message passes between the client and the servers, or only messages in the other direction. */
type ClientCut = ClientField & OnServers & { readonly way: Way | 'both' };

export const clientCut: FaultUnderTest<ClientCut> = {
  id: 'client-cut',
  meaning: 'a client is cut from servers, also one way',
  reason: 'a client was cut off',
  fields: {
    client: true,
    when: true,
    way: ['both', 'request', 'reply'],
    numbers: { nodes: MASK, ms: LASTING },
  },
  needs: 'servers',
  generate: (c) =>
    fc.record(
      {
        kind: fc.constant('client-cut'),
        client,
        nodes: fc.oneof(fc.constant(allOf(c)), maskOf(c)),
        when: injectionTimes(c),
        ms: outageMs,
        way: fc.constantFrom('both', 'both', 'request', 'reply'),
      },
      PLAIN,
    ),
  arm,
  text: ({ client: id, ms, way }) => `cut off from ${id.toUpperCase()} for ${ms} ms${CUTS[way]}`,
  real: choreographies,
  isMostTelling: () => true,
};

const CUTS = { request: ': no request gets there', reply: ': no reply gets back', both: '' };

function arm(run: Run, fault: ClientCut, index: number): void {
  const process = run.clients.get(fault.client)?.process;
  if (process === undefined) return;
  injectIntoServers(run, fault, index, fault.ms, (servers) => {
    for (const server of servers) {
      const { network } = run.cluster;
      const [from, to] = fault.way === 'reply' ? [server, process] : [process, server];
      run.world.after(fault.ms, network.cut(from, to, { oneWay: fault.way !== 'both' }));
    }
  });
}

/** Cuts the holder from all servers, a majority, a minority, and in one direction. */
function choreographies(deployment: Deployment): readonly Choreography[] {
  const { called, servers, isEnsemble, lock, isUserOwned } = deployment;
  const nothing = 'no message passes between the holder and';
  const oneWay = `no message passes from ${called} to the holder`;
  if (isUserOwned) return [cut(`${nothing} ${called}`)];
  const late = cut(`${nothing} ${called} until the cut ends; held messages arrive then`, {
    held: 'arrives',
  });
  // Its release has to be under way when the lease expires.
  if (lock?.trustsClientClocks) return [atTheEnd(late)];
  const minority = Math.ceil((servers - 1) / 2);
  const majority = majorityIn(deployment);
  if (isEnsemble)
    return [
      cut(`${nothing} ${called}`),
      cut(oneWay, { way: 'reply' }),
      cut(`${nothing} ${some(servers - 1, deployment)}`, { from: first(servers - 1) }),
    ];
  const arrives = cut(`${oneWay}; the holder’s messages arrive`, { way: 'reply' });
  if (!areIndependent(deployment))
    return [cut(`${nothing} ${called}; held messages are lost`), late, arrives];
  return [
    cut(`${nothing} ${called}`),
    cut(`${nothing} ${some(majority, deployment)}`, { from: first(majority) }),
    cut(`${nothing} ${some(minority, deployment)}`, { from: first(minority) }),
    arrives,
  ];
}

interface Cut {
  readonly from?: readonly number[];
  readonly way?: 'reply';
  readonly held?: 'lost' | 'arrives';
}

function cut(description: string, { from, way, held = 'lost' }: Cut = {}): Choreography {
  const step: Step = {
    do: 'cut',
    client: 'holder',
    ...(from === undefined ? {} : { servers: from }),
    ...(way === undefined ? {} : { way }),
  };
  return { description, steps: [step, OVER, { do: 'heal', held }] };
}

function atTheEnd({ steps, ...more }: Choreography): Choreography {
  return {
    ...more,
    steps: [
      { do: 'await', moment: 'end' },
      ...steps.map((step) => (step === OVER ? TAKEOVER : step)),
    ],
  };
}
