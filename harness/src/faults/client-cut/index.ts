import fc from 'fast-check';
import { allOf, blows, client, maskOf, PLAIN } from '../../sim/schedule/arbitrary-parts.ts';
import type { Arena } from '../../sim/schedule/arena.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { LASTING, MASK } from '../../sim/schedule/fields.ts';
import type { Way } from '../../sim/schedule/schedule.ts';
import type { OfClient } from '../parts/elements.ts';
import { type OnServers, outageMs, strikeServers } from '../parts/servers.ts';
import { really } from './real.ts';

/** Nothing passes between the client and the servers, or only what goes the other way. */
type ClientCut = OfClient & OnServers & { readonly way: Way | 'both' };

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
        when: blows(c),
        ms: outageMs,
        way: fc.constantFrom('both', 'both', 'request', 'reply'),
      },
      PLAIN,
    ),
  arm,
  text: ({ client: id, ms, way }) => `cut off from ${id.toUpperCase()} for ${ms} ms${CUTS[way]}`,
  real: really,
  tellsMost: () => true,
};

const CUTS = { request: ': no request gets there', reply: ': no answer gets back', both: '' };

function arm(arena: Arena, fault: ClientCut, index: number): void {
  const process = arena.clients.get(fault.client)?.process;
  if (process === undefined) return;
  strikeServers(arena, fault, index, fault.ms, (servers) => {
    for (const server of servers) {
      const { network } = arena.cluster;
      const [from, to] = fault.way === 'reply' ? [server, process] : [process, server];
      arena.world.after(fault.ms, network.cut(from, to, { oneWay: fault.way !== 'both' }));
    }
  });
}
