import fc from 'fast-check';
import { BRIEF_MS, LATE_MS, minorityOf, PLAIN, TTL_MS } from './arbitrary-parts.ts';
import { type Aftermath, PERMANENT_FAULTS } from './schedule.ts';

/** Together with the latency of all messages: three round trips still fit into the time of one call, a tenth of the ttl. */
const APART_MS_MAX = 6;

/** What stays broken for good: of the nodes fewer than half, of three clients one at most. */
export function aftermaths(nodes: number): fc.Arbitrary<Aftermath> {
  return fc.record(
    {
      atMs: fc.nat(LATE_MS),
      nodes: fc.constantFrom(0, ...minorityOf(nodes)),
      how: fc.constantFrom(...PERMANENT_FAULTS),
      still: fc.constantFrom('', '', '', 'a', 'b', 'c'),
      holdMs: fc.oneof(fc.nat(BRIEF_MS), fc.nat(TTL_MS / 2)),
      apartMs: fc.oneof(fc.constant(0), fc.nat(APART_MS_MAX)),
    },
    PLAIN,
  );
}
