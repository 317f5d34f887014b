import { OUTCOMES } from '@holdfast/harness/draw';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { cellIn, loadMatrix } from '../../harness/test/kit/matrix.ts';
import {
  blockedAfterCrashMs,
  capabilitiesOf,
  cost,
  isReentrant,
  isRenewed,
  sparedServers,
} from './observed-properties.ts';

const COLUMNS = [
  'memory',
  'redis-simple',
  'redis-getset',
  'redlock',
  'zk',
  'etcd',
  'postgres',
  'postgres-synchronous',
] as const;
type Column = (typeof COLUMNS)[number];

/** Requirements, and the cell of each backend. */
type Rows = Readonly<Record<string, (column: Column) => string | Promise<string>>>;

const LIVENESS: Rows = {
  'No deadlock: a holder that crashes 0.2 s into a lease of 1 s blocks the others for': async (
    column,
  ) =>
    isOnServers(column)
      ? `${((await blockedAfterCrashMs(subjectOf(column))) / 1_000).toFixed(1)} s`
      : '– (it dies with the process)',
  'Fault tolerance: all clients are served with so many servers paused, whichever they are': spared,
  'Waiters are served': async (column) => {
    const { queue } = await capabilitiesOf(subjectOf(column));
    return queue === 'fifo' ? 'in order' : 'in order within a process, else by chance';
  },
  'Waiters are notified of a release': async (column) => {
    const { wakeUp } = await capabilitiesOf(subjectOf(column));
    return wakeUp === 'push' ? 'yes' : 'no, they poll';
  },
};

const CONDITIONS: Rows = {
  'One holder at a time': (column) => `${undisturbed(column)}; under faults, see above`,
  'High availability': async (column) => {
    if (!isOnServers(column)) return '–';
    const many = await sparedServers(subjectOf(column));
    return many > 0 ? `yes, without ${await spared(column)} servers` : 'no: one server';
  },
  'Cost of acquire + release: messages, and total latency at 1 ms one way': async (column) => {
    if (!isOnServers(column)) return 'none';
    const { messages, ms } = await cost(subjectOf(column));
    return `${messages}, ${ms} ms`;
  },
  Reentrancy: async (column) => ((await isReentrant(subjectOf(column))) ? 'yes' : 'no'),
  Expiry: async (column) => {
    const { lease } = await capabilitiesOf(subjectOf(column));
    if (lease === 'session') return 'with its session, which is kept alive';
    return `after the ttl, ${(await isRenewed(subjectOf(column))) ? 'renewed' : 'not renewed'}`;
  },
  'Try without waiting': () => '`tryAcquire`',
};

/** Returns the table about progress: which clients are served. */
export function livenessTable(): Promise<string> {
  return table('', LIVENESS);
}

/** Returns the table of the six conditions that articles commonly list for a distributed lock. */
export function conditionsTable(): Promise<string> {
  return table('condition', CONDITIONS);
}

async function table(corner: string, rows: Rows): Promise<string> {
  const lines = [[corner, ...COLUMNS], [corner, ...COLUMNS].map(() => '---')];
  for (const [requirement, cell] of Object.entries(rows)) {
    const cells: string[] = [];
    for (const column of COLUMNS) cells.push(await cell(column));
    lines.push([requirement, ...cells]);
  }
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

async function spared(column: Column): Promise<string> {
  const subject = subjectOf(column);
  return isOnServers(column) ? `${await sparedServers(subject)} of ${subject.nodes}` : '–';
}

function isOnServers(column: Column): boolean {
  return subjectOf(column).nodes > 0;
}

/** As the matrix has it. */
function undisturbed(column: Column): string {
  const row = loadMatrix().rows.find(({ fault }) => fault === 'none');
  return row !== undefined && cellIn(row, column).claims.validity.expect === 'holds'
    ? OUTCOMES.holds.glyph
    : OUTCOMES.breaks.glyph;
}
