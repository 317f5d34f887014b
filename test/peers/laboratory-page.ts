import type { FaultId } from '@holdfast/core/backend';
import { OUTCOMES, type OutcomeId } from '@holdfast/harness/draw';
import { RECORDED, type Recorded } from './laboratory.ts';
import { markdown } from './markdown.ts';
import type { Rates, Speed } from './speed.ts';

/** Columns that the simulator does not have. */
export function onlyReal(simulated: readonly string[]): readonly string[] {
  return RECORDED.filter((name) => !simulated.includes(name));
}

/** The outcome on real servers, and in how many trials an update was lost; empty if it was not tried. */
export function realGlyphs(records: readonly Recorded[], fault: FaultId, name: string): string {
  const record = records.find((each) => each.name === name);
  const outcome = record && outcomeIn(record, fault);
  if (record === undefined || outcome === undefined) return '';
  const { fencedBreaks, losing, trials } = record;
  const fenced = fencedBreaks?.includes(fault) === true ? 'breaks' : 'holds';
  const tokens = fencedBreaks === undefined ? '' : ` ${OUTCOMES[fenced].glyph}`;
  const lost = losing[fault] === undefined ? '' : ` ${losing[fault]}/${trials}`;
  return `${OUTCOMES[outcome].glyph}${tokens}${lost}`;
}

function outcomeIn({ outcomes }: Recorded, fault: FaultId): OutcomeId | undefined {
  const found = Object.entries(outcomes).find(([, faults]) => faults.includes(fault));
  return found?.[0] as OutcomeId | undefined;
}

const RANKS: readonly OutcomeId[] = ['holds', 'late', 'breaks'];

/** Where real servers showed more than the simulator did. */
function worse(records: readonly Recorded[], simulated: Simulated): readonly string[] {
  return records.flatMap((record) =>
    Object.entries(record.outcomes).flatMap(([outcome, faults]) =>
      faults
        .filter((fault) => {
          const ranks = [simulated(fault, record.name), outcome].map((id) =>
            RANKS.findIndex((each) => each === id),
          );
          const [before = -1, now = -1] = ranks;
          return before >= 0 && now > before;
        })
        .map((fault) => `${record.name} under \`${fault}\``),
    ),
  );
}

/** The outcome in the simulator; undefined if it was not played there. */
type Simulated = (fault: FaultId, name: string) => OutcomeId | undefined;

/** What was tried on real servers, and how. */
export function laboratoryPart(records: readonly Recorded[], simulated: Simulated): string {
  const rows = records.map(({ name, used, on, date, by, trials, handoverMs, load }) => [
    name,
    used,
    on,
    handoverMs === null ? 'not in a trial' : `${Math.round(handoverMs)} ms`,
    `${date}, ${trials} trials, ${load === undefined ? 'idle' : `load ${load}`}`,
    by[0] ?? '',
  ]);
  const {
    ttlMs,
    by: [, node = '', host = ''],
  } = records[0] ?? { ttlMs: 0, by: [] };
  const head = ['name', 'used as', 'servers of', 'next grant after a crash', 'recorded', 'version'];
  const reasons = records.flatMap(({ name, reasons: own = {} }) =>
    Object.entries(own).map(([fault, why]) => `- ${name}, \`${fault}\`: ${why}`),
  );
  return `## On real servers

Right of the slash in the first table are trials of [the lab](../testing/lab.md): real servers, three processes of a library, real faults. It judges each library as [a command](../testing/external.md), with an adapter in \`examples/external\`: by the order of reads and writes at a resource alone. Ours are judged more strictly: two valid leases at once count, too, without a lost update. So compare the numbers of trials that lost one, which are the same measure for all. A lease, or session, lasts ${ttlMs} ms. All on ${node}, ${host}. The load is that of the machine when a run began: others worked on it, so these times are no measurement of speed.

${markdown(head, rows)}

${reasons.length === 0 ? '' : `${reasons.join('\n')}\n\n`}Few trials show what is common, not what is rare: where the simulator found a violation and the lab none, the simulator is right. The lab found more in: ${listed(worse(records, simulated))}. Under \`clock-smear\` it also cuts the holder off, so that its lease ends. An empty cell was not tried, or real servers cannot show it. redis-py asks its server before each write, which shortens the time in which it can be late to a round trip; a caller that leaves that out is as late as the others. \`PEERS_LAB=write npx vitest run --project deep-servers test/deep/servers/peers-laboratory.test.ts\` records them again (\`-t Curator\`: one of them). A library that is not installed keeps its record.`;
}

function listed(items: readonly string[]): string {
  return items.length === 0 ? 'no cell' : items.join(', ');
}

function text({ median, min, max }: Rates): string {
  return `${median} (${min} to ${max})`;
}

/** Curator and ours, in turns. */
export function speedPart({ date, by, rounds, turnMs, load, cores, rows }: Speed): string {
  const lines = rows.map(({ callers, keys, ours, curator, ratio }) => [
    keys === 1 && callers > 1
      ? `${callers} callers of one key`
      : `${keys} ${keys === 1 ? 'key, one caller' : 'keys, a caller each'}`,
    text(ours),
    text(curator),
    text(ratio),
  ]);
  const [before, after] = load.map((each) => each.toFixed(1));
  const isBusy = Math.max(...load) > cores;
  const busy = isBusy
    ? ' The machine was busy with other work: both can do more, and the spread is wide.'
    : '';
  const agreed = rows.filter(({ ratio }) => ratio.min > 1 || ratio.max < 1).length;
  return `## Speed beside Curator

Pairs of acquire and release in a second, in one process and one session each, on one ZooKeeper server: the median of ${rounds} turns of ${turnMs / 1_000} s, and the slowest and fastest. Both take turns, so other work on the machine hits both. ${by.join(', ')}, ${date}; the load of the machine was ${before} before and ${after} after, on ${cores} cores, both and the server included.${busy} In ${agreed} of ${rows.length} rows all turns agree which is faster; the others do not decide it. \`PEERS_SPEED=write npx vitest run --project deep-servers test/deep/servers/peers-speed.test.ts\` measures again. [Other measurements](performance.md).

${markdown(['', 'zk (ours)', 'Curator', 'ours : Curator, turn by turn'], lines)}`;
}
