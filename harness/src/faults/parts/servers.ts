import fc from 'fast-check';
import {
  type Circumstances,
  injectionTimes,
  maskOf,
  PLAIN,
  TTL_MS,
} from '../../sim/schedule/arbitrary-parts.ts';
import { atMoment } from '../../sim/schedule/at-moment.ts';
import type { Member } from '../../sim/schedule/cluster.ts';
import { type FaultFields, LASTING, MASK } from '../../sim/schedule/fields.ts';
import type { Run } from '../../sim/schedule/run.ts';
import type { DurationField, NodesField, WhenField } from './elements.ts';

/** A fault that affects all servers of a mask at some moment; `ms` is its duration or size. */
export type OnServers = NodesField & WhenField & DurationField;

export const ON_SERVERS: FaultFields = { when: true, numbers: { nodes: MASK, ms: LASTING } };

export const briefMs: fc.Arbitrary<number> = fc.nat(200);
export const jumpMs: fc.Arbitrary<number> = fc.integer({ min: 1, max: 3 * TTL_MS });
export const outageMs: fc.Arbitrary<number> = fc.nat(3 * TTL_MS);

export function onServers(
  kind: string,
  circumstances: Circumstances,
  ms: fc.Arbitrary<number>,
  nodes: fc.Arbitrary<number> = maskOf(circumstances),
): fc.Arbitrary<OnServers> {
  return fc.record(
    { kind: fc.constant(kind), nodes, when: injectionTimes(circumstances), ms },
    PLAIN,
  );
}

/** Injects the fault into the servers that serve the mask's addresses at its moment. */
export function injectIntoServers(
  run: Run,
  fault: NodesField & WhenField,
  index: number,
  lastingMs: number,
  act: (servers: readonly Member[]) => void,
): void {
  atMoment(run, fault.when, () => {
    const servers = run.cluster.serving(fault.nodes);
    if (servers.length === 0) return;
    const actors = servers.map(({ name }) => name);
    const injection = { kind: fault.kind, fault: index, actors };
    run.injections.add(injection, lastingMs, () => run.isContended());
    act(servers);
  });
}

/**
 * Injects a fault between servers; `act` returns the affected servers, or undefined if the cluster has no such verb.
 */
export function injectIntoPeers(
  run: Run,
  fault: OnServers,
  index: number,
  act: () => readonly string[] | undefined,
): void {
  atMoment(run, fault.when, () => {
    const actors = act() ?? [];
    if (actors.length === 0) return;
    const injection = { kind: fault.kind, fault: index, actors };
    run.injections.add(injection, fault.ms, () => run.isContended());
  });
}

/** Crashes the servers; they come back with their data. */
export function backWithData(run: Run, fault: OnServers, index: number): void {
  injectIntoServers(run, fault, index, fault.ms, (servers) => {
    for (const server of servers) server.restart({ data: 'durable', downMs: fault.ms });
  });
}
