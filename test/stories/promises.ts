import type { FaultId } from '@holdfast/core/backend';
import {
  type Claimed,
  cellIn,
  loadMatrix,
  type MatrixColumn,
  type Row,
} from '../../harness/test/kit/matrix.ts';

/** A promise that users expect of a lock, and the faults that test it. */
interface Promised {
  readonly text: string;
  readonly claimed: Claimed;
  readonly faults: readonly FaultId[];
}

const PROMISED: readonly Promised[] = [
  {
    text: 'never two valid leases: while nothing fails',
    claimed: 'validity',
    faults: ['none'],
  },
  {
    text: '… under message faults',
    claimed: 'validity',
    faults: ['delay', 'reorder', 'lost-reply', 'lost-wakeup', 'client-cut', 'swizzle'],
  },
  {
    text: '… under client faults',
    claimed: 'validity',
    faults: ['pause', 'pause-acquire', 'loop-block', 'suspend', 'holder-crash'],
  },
  {
    text: '… under clock faults',
    claimed: 'validity',
    faults: ['client-clock', 'server-clock-forward', 'server-clock-back'],
  },
  {
    text: '… when servers stop, and return with their data',
    claimed: 'validity',
    faults: ['server-stop', 'restart-durable', 'majority-down', 'peer-cut'],
  },
  {
    text: '… when servers forget, or others take over',
    claimed: 'validity',
    faults: ['restart-empty', 'torn-log', 'failover', 'split-brain'],
  },
  {
    text: 'no late holder after a pause, a blocked event loop or a suspend',
    claimed: 'belief',
    faults: ['pause', 'loop-block', 'suspend'],
  },
  {
    text: 'a resource that compares tokens loses nothing by that',
    claimed: 'resource',
    faults: ['pause', 'loop-block', 'suspend'],
  },
];

const COLUMNS: readonly MatrixColumn[] = [
  'memory',
  'redis-simple',
  'redis-getset',
  'redlock',
  'zk',
  'etcd',
  'postgres',
  'postgres-synchronous',
];

/** Returns the table of the promises of each backend, from the matrix, which tests compare with runs. */
export function promisesTable(): string {
  const head = ['', ...COLUMNS];
  const rows = PROMISED.map((promised) => [
    promised.text,
    ...COLUMNS.map((column) => cellOf(promised, column)),
  ]);
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** `✓`, the faults that break it, or `–` where there is nothing to try. */
function cellOf({ claimed, faults }: Promised, column: MatrixColumn): string {
  const rows = loadMatrix().rows.filter(({ fault }) => faults.includes(fault));
  const expected = (row: Row): string => cellIn(row, column).claims[claimed].expect;
  const broken = rows.filter((row) => expected(row) === 'breaks').map(({ fault }) => fault);
  if (broken.length > 0) return `✗ ${[...new Set(broken)].join(', ')}`;
  return rows.some((row) => expected(row) === 'holds') ? '✓' : '–';
}
