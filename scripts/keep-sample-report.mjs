// Keeps the part of out/sample-report/report.json that tables and tests read: every figure, without drawings, without the
// results of the simulator, and with the single acquisitions of a few trials only.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');
/** One of each kind that the page has a chart of. */
const CHARTED = new Set([
  'failover on redis-simple/sentinel',
  'failover on zk',
  'server-stop on redlock',
]);

const { cells, both, ...report } = JSON.parse(
  readFileSync(join(root, 'out/sample-report/report.json'), 'utf8'),
);
const kept = {
  ...report,
  both: { ...both, simulator: {} },
  cells: cells.map(({ timeline: _, story: __, figures, ...cell }) => ({
    ...cell,
    figures: figures && { ...figures, availability: availabilityOf(cell, figures.availability) },
  })),
};
const lines = Object.entries(kept).map(([key, value]) => `${JSON.stringify(key)}: ${text(value)}`);
// Compressed: as text it would be one of the largest files of a clone.
writeFileSync(
  join(root, 'test/support/sample-report.json.gz'),
  gzipSync(`{\n${lines.join(',\n')}\n}\n`, { level: 9 }),
);

function availabilityOf({ fault, column }, availability) {
  return CHARTED.has(`${fault} on ${column}`)
    ? availability
    : { outageMs: availability.outageMs, points: [] };
}

/** An element of a list is a line. */
function text(value) {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value);
  return `[\n${value.map((each) => JSON.stringify(each)).join(',\n')}\n]`;
}
