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

/** What strikes servers at some moment, all of a mask at once, and lasts, or goes so far. */
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

/** Those who serve at the addresses of the mask once the moment has come; nobody is left alone. */
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
    const told = { kind: fault.kind, fault: index, actors };
    run.injections.add(told, lastingMs, () => run.isContended());
    act(servers);
  });
}

/** What the servers do to each other; `act` says whom it struck, and nothing where there is no such verb. */
export function injectIntoPeers(
  run: Run,
  fault: OnServers,
  index: number,
  act: () => readonly string[] | undefined,
): void {
  atMoment(run, fault.when, () => {
    const actors = act() ?? [];
    if (actors.length === 0) return;
    const told = { kind: fault.kind, fault: index, actors };
    run.injections.add(told, fault.ms, () => run.isContended());
  });
}

/** They crash, and come back with their data. */
export function backWithData(run: Run, fault: OnServers, index: number): void {
  injectIntoServers(run, fault, index, fault.ms, (servers) => {
    for (const server of servers) server.restart({ data: 'durable', downMs: fault.ms });
  });
}
