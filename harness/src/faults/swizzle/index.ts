import fc from 'fast-check';
import {
  allOf,
  injectionTimes,
  maskOf,
  PLAIN,
  TTL_MS,
} from '../../sim/schedule/arbitrary-parts.ts';
import type { Member } from '../../sim/schedule/cluster.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { LAST, LASTING, MASK } from '../../sim/schedule/fields.ts';
import type { Choreography, Deployment, Step } from '../../sim/schedule/real.ts';
import type { Run } from '../../sim/schedule/run.ts';
import { nodesIn } from '../../sim/schedule/schedule.ts';
import { first, OVER } from '../parts/real.ts';
import { injectIntoServers, type OnServers } from '../parts/servers.ts';

/** Clogs the servers one by one, `gapMs` apart, and frees them `ms` later in the `order`-th other order. */
type Swizzle = OnServers & { readonly gapMs: number; readonly order: number };

export const swizzle: FaultUnderTest<Swizzle> = {
  id: 'swizzle',
  meaning: 'servers are clogged one by one and freed in another order',
  reason: 'servers were clogged one after another',
  fields: {
    when: true,
    numbers: {
      nodes: MASK,
      ms: LASTING,
      gapMs: LASTING,
      order: { min: 0, max: LAST, benign: 0 },
    },
  },
  needs: 'servers',
  generate: (c) =>
    fc.record(
      {
        kind: fc.constant('swizzle'),
        nodes: fc.oneof(fc.constant(allOf(c)), maskOf(c)),
        when: injectionTimes(c),
        ms: fc.nat(TTL_MS),
        gapMs: fc.nat(TTL_MS / 2),
        order: fc.nat(119),
      },
      PLAIN,
    ),
  arm,
  text: ({ gapMs, ms }) => `clogged one after another, ${gapMs} ms apart, for ${ms} ms`,
  real: (deployment) => [choreography(deployment)],
};

/** At every moment another set of servers replies. */
function arm(run: Run, fault: Swizzle, index: number): void {
  const { gapMs, ms, order } = fault;
  const count = nodesIn(fault.nodes).length;
  injectIntoServers(run, fault, index, ms + 2 * count * gapMs, (servers) => {
    const freed = permuted(servers, order);
    for (const [i, server] of servers.entries()) {
      const clogMs = i * gapMs;
      const freeMs = (count - 1) * gapMs + ms + freed.indexOf(server) * gapMs;
      run.world.after(clogMs, () => clog(run, server, freeMs - clogMs));
    }
  });
}

function clog(run: Run, server: Member, ms: number): void {
  const { network } = run.cluster;
  const heals = [...run.clients.values()].map(({ process }) => network.cut(process, server));
  run.world.after(ms, () => {
    for (const heal of heals) heal();
  });
}

/** The `n`-th order of the list; 0 leaves it unchanged. */
function permuted<T>(list: readonly T[], n: number): readonly T[] {
  const left = [...list];
  let rest = n;
  return list.map(() => {
    const at = rest % left.length;
    rest = Math.floor(rest / left.length);
    return left.splice(at, 1)[0]!;
  });
}

function choreography({ servers, ttlMs }: Deployment): Choreography {
  const all = first(servers);
  // A single server is freed by `heal`.
  const freed = servers === 1 ? [] : [...all.slice(1), 0];
  const steps: readonly Step[] = [
    ...all.map((server) => ({ do: 'clog', server }) as const),
    ...freed.map((server) => ({ do: 'free', server }) as const),
  ];
  return {
    description:
      servers === 1
        ? 'the server is out of reach for all'
        : 'the servers are put out of reach one by one, and freed in another order',
    steps: [
      { do: 'meanwhile', everyMs: ttlMs / steps.length, steps },
      OVER,
      { do: 'heal', held: 'arrives' },
    ],
  };
}
