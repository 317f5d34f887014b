import { join } from 'node:path';
import { type Arguments, holdfastVersion, type Io, UsageError } from 'holdfast/internal';
import { createWorkers, Pool } from '../compare/worker-pool.ts';
import { playShard } from '../shards/compare-shard.ts';
import { formatCompareShard } from '../shards/format.ts';
import { fileOf, type Shard } from '../shards/shard.ts';
import { textOf } from '../shards/shard-text.ts';
import type { MatrixSelection } from './matrix-selection.ts';
import { folderFor, writeText } from './output-files.ts';
import { Progress } from './progress.ts';
import type { ComparisonSettings } from './settings.ts';

/** The default output folder. */
export const COMPARE_OUT: string = join('out', 'compare');

interface CompareShardRequest {
  readonly servers: string;
  readonly settings: ComparisonSettings;
  readonly selection: MatrixSelection;
  readonly args: Arguments;
}

/**
 * Runs one machine's part of the whole matrix. It is judged when all parts are merged.
 * @throws UsageError for real servers, which run no schedules that could be divided
 */
export async function compareShard(
  shard: Shard,
  {
    servers,
    settings: { seed, budget, jobs },
    selection,
    args: { flags, values },
  }: CompareShardRequest,
  io: Io,
): Promise<number> {
  if (servers !== 'embedded')
    throw new UsageError('--shard is for the simulator', 'Leave out --servers.');
  const path = join(folderFor(values.get('out'), COMPARE_OUT), fileOf(shard));
  const pool = new Pool(createWorkers(jobs));
  const progress = new Progress(io.stderr);
  const { faults, backends } = selection;
  try {
    const report = await playShard({ seed, budget, faults, backends }, shard, {
      pool,
      step: (text) => progress.step(text),
      holdfast: holdfastVersion(),
    });
    progress.clear();
    const text = textOf(report);
    writeText(path, text);
    io.stdout.write(flags.has('json') ? text : `${formatCompareShard(report, path).join('\n')}\n`);
    return 0;
  } finally {
    await pool.close();
  }
}
