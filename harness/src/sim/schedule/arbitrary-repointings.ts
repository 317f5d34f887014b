import fc from 'fast-check';
import { LATE_MS, longMs, maskOf, PLAIN } from './arbitrary-parts.ts';
import { nodeName, type Repointing, type Schedule } from './schedule.ts';

/** Addresses lead to the server of another node at any moment, once or twice, and back after a while. */
export function withRepointings(schedule: Schedule): fc.Arbitrary<Schedule> {
  const { nodes } = schedule;
  const shape = fc.oneof(
    { arbitrary: becomingOne(nodes), weight: 2 },
    { arbitrary: any(nodes), weight: 1 },
  );
  const each = fc.record({ shape, atMs: fc.nat(LATE_MS), ms: longMs }, PLAIN);
  return fc.array(each, { minLength: 1, maxLength: 2 }).map((drawn) => ({
    ...schedule,
    repointings: drawn.map(({ shape: led, ...times }): Repointing => ({ ...led, ...times })),
  }));
}

/** All addresses lead to one server. */
function becomingOne(nodes: number): fc.Arbitrary<Pick<Repointing, 'nodes' | 'to'>> {
  return fc.nat(nodes - 1).map((to) => ({ nodes: 2 ** nodes - 1 - (1 << to), to: nodeName(to) }));
}

function any(nodes: number): fc.Arbitrary<Pick<Repointing, 'nodes' | 'to'>> {
  return fc.record({ nodes: maskOf({ nodes }), to: fc.nat(nodes - 1).map(nodeName) }, PLAIN);
}
