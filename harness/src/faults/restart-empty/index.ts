import fc from 'fast-check';
import { PLAIN, TTL_MS } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import type { Choreography, Deployment } from '../../sim/schedule/real.ts';
import type { Fault, Schedule } from '../../sim/schedule/schedule.ts';
import { areIndependent, RENEWED, TAKEOVER, toOneOfABareMajority, word } from '../parts/real.ts';
import {
  briefMs,
  injectIntoServers,
  ON_SERVERS,
  type OnServers,
  onServers,
} from '../parts/servers.ts';
import { after } from '../parts/words.ts';

/** All leases that a server has forgotten expire by then. */
const delayMs = fc.integer({ min: TTL_MS, max: 3 * TTL_MS });

export const restartEmpty: FaultUnderTest<OnServers> = {
  id: 'restart-empty',
  meaning: 'servers crash and come back without their data',
  reason: 'a server came back without its data and had forgotten the lock',
  fields: ON_SERVERS,
  // A majority, one after another, under one long lease; or back after a ttl at the earliest.
  varies: ['rolling', 'delayed'],
  needs: 'servers',
  generate: (c) => onServers('restart-empty', c, c.variation === 'delayed' ? delayMs : briefMs),
  generatedAs: (variation, nodes) => (variation === 'rolling' ? rollingRestarts(nodes) : undefined),
  arm: (run, fault, index) =>
    injectIntoServers(run, fault, index, fault.ms, (servers) => {
      for (const server of servers) server.restart({ data: 'empty', downMs: fault.ms });
    }),
  text: ({ ms }) => `crash; back without data${after(ms)}`,
  // A server that is back sooner does other harm, and a smaller number is worse.
  staysAway: ({ ms }, ttlMs) => ms >= ttlMs,
  real: (deployment) => [choreography(deployment)],
  isMostTelling: ({ isEnsemble }) => !isEnsemble,
};

function choreography(deployment: Deployment): Choreography {
  const { called, servers, isEnsemble, rejectsAheadClients } = deployment;
  if (areIndependent(deployment))
    return toOneOfABareMajority(deployment, 'comes back without its data', (one) => ({
      steps: [{ do: 'restart', servers: one, data: 'empty' }],
    }));
  if (isEnsemble)
    return {
      description: `one of the ${word(servers)} comes back without its data`,
      variant: 'a minority',
      steps: [RENEWED, { do: 'restart', servers: 'follower', data: 'empty' }, TAKEOVER],
    };
  if (rejectsAheadClients)
    return {
      description: `${called} is killed and comes back without its data, and a new client starts that has seen nothing`,
      variant: 'all servers, a newcomer',
      // Tokens are counted by the server: its count has to be large, or the new count would catch up with it.
      before: [{ do: 'age' }],
      steps: [
        RENEWED,
        { do: 'restart', servers: 'all', data: 'empty' },
        { do: 'arrive' },
        TAKEOVER,
      ],
    };
  return {
    description: `${called} is killed and comes back without its data`,
    steps: [RENEWED, { do: 'restart', servers: 'all', data: 'empty' }, TAKEOVER],
  };
}

/**
 * Time between the return of one node and the crash of the next: a third of the ttl, and a call, in which a lease heals
 * its votes.
 */
const REST_MS = { min: Math.ceil(TTL_MS / 3 + TTL_MS / 10) + 40, max: TTL_MS };
const OUTAGE_MS_MAX = 60;
/** Longer than any lease lasts without renewals. */
const HOLD_MS = 6 * TTL_MS;

const rival = fc.record({ atMs: fc.integer({ min: 100, max: 4 * TTL_MS }) }, PLAIN);

/** A lease that is renewed throughout, while a majority of the nodes restarts one after another without data. */
function rollingRestarts(nodes: number): fc.Arbitrary<Schedule> {
  return fc
    .record(
      {
        latencyMs: fc.integer({ min: 1, max: 10 }),
        faults: restartsOf(nodes),
        b: rival,
        c: rival,
      },
      PLAIN,
    )
    .map(({ latencyMs, faults, b, c }) => ({
      v: 1,
      ttlMs: TTL_MS,
      latencyMs,
      nodes,
      replicas: 0,
      lagMs: 0,
      replicaClockMs: 0,
      ops: [
        { id: 1, client: 'a', atMs: 0, holdMs: HOLD_MS, renews: true },
        { id: 2, client: 'b', holdMs: 0, renews: false, ...b },
        { id: 3, client: 'c', holdMs: 0, renews: false, ...c },
      ],
      faults,
    }));
}

/** Draws the nodes, and the time at which each goes down. */
function restartsOf(nodes: number): fc.Arbitrary<Fault[]> {
  const count = Math.floor(nodes / 2) + 1;
  const each = { minLength: count, maxLength: count };
  const all = Array.from({ length: nodes }, (_, node) => node);
  return fc
    .record({
      nodes: fc.shuffledSubarray(all, each),
      rests: fc.array(fc.integer(REST_MS), each),
      outages: fc.array(fc.nat(OUTAGE_MS_MAX), each),
    })
    .map((drawn) => {
      let atMs = 0;
      return drawn.nodes.map((node, i) => {
        atMs += (drawn.rests[i] ?? 0) + (drawn.outages[i - 1] ?? 0);
        const ms = drawn.outages[i] ?? 0;
        return { kind: 'restart-empty', nodes: 1 << node, when: { atMs }, ms };
      });
    });
}
