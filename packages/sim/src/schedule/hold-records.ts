import type { Standing } from '../hold-log.ts';
import type { Arena } from './arena.ts';

/** What the servers' own records say of one hold that was granted. */
export interface HoldRecord {
  /** As in the history. */
  readonly hold: string;
  /** At how many of the addresses it has to stand, so that nobody else can be granted the key. */
  readonly quorum: number;
  /** Of each address, the records of the servers behind it. */
  readonly addresses: readonly (readonly (readonly Standing[])[])[];
}

/** Of every hold in a run. */
export function holdRecordsOf(arena: Arena): readonly HoldRecord[] {
  const { holds, addresses: servers } = arena.cluster;
  const quorum = Math.floor(servers.length / 2) + 1;
  const records: HoldRecord[] = [];
  for (const [hold, owner] of arena.owners) {
    const lines = holds.linesOf(owner);
    const addresses = servers.map((names) => linesAt(names, lines, holds.promoted));
    records.push({ hold, quorum, addresses });
  }
  return records;
}

/** Who came to serve there and never had it says so, too. */
function linesAt(
  servers: readonly string[],
  lines: ReadonlyMap<string, readonly Standing[]> | undefined,
  promoted: ReadonlySet<string>,
): readonly (readonly Standing[])[] {
  const found: (readonly Standing[])[] = [];
  for (const server of servers) {
    const line = lines?.get(server) ?? (promoted.has(server) ? [] : undefined);
    if (line !== undefined) found.push(line);
  }
  return found;
}
