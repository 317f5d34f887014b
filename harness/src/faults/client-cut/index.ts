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
import type { Run } from '../../sim/schedule/run.ts';
import type { Way } from '../../sim/schedule/schedule.ts';
import type { ClientField } from '../parts/elements.ts';
import { injectIntoServers, type OnServers, outageMs } from '../parts/servers.ts';
import { really } from './real.ts';

/** Nothing passes between the client and the servers, or only what goes the other way. */
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
  real: really,
  isMostTelling: () => true,
};

const CUTS = { request: ': no request gets there', reply: ': no answer gets back', both: '' };

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
