import { type Arguments, UsageError } from 'holdfast/internal';
import { PLAYABLE_FAULTS } from '../lab/short/run-fault.ts';
import type { MatrixSelection } from './matrix-selection.ts';

const SIMULATOR_ONLY = ['seed', 'budget', 'jobs', 'deep', 'with-exhibits', 'all'];

/** @throws UsageError for what would have no effect on real servers without the laboratory */
export function refuseForShort(
  { values, flags }: Arguments,
  { faults = [] }: MatrixSelection,
): void {
  const other = faults.find((fault) => !isPlayed(fault));
  if (other !== undefined)
    throw new UsageError(
      `--profile short does not play ${other}, only ${PLAYABLE_FAULTS.join(', ')}`,
      'The laboratory plays more: --profile quick.',
    );
  const idle = SIMULATOR_ONLY.find((name) => values.has(name) || flags.has(name));
  if (idle !== undefined)
    throw new UsageError(`--${idle} is not for --profile short`, 'It is for the simulator.');
  if (values.has('dial'))
    throw new UsageError('--dial is not for --profile short', 'It is for the laboratory.');
}

/** Of what is asked of the simulator too, what can be played here. */
export function playedOf({ faults }: MatrixSelection): readonly string[] | undefined {
  return faults?.filter(isPlayed);
}

function isPlayed(fault: string): boolean {
  return PLAYABLE_FAULTS.some((each) => each === fault);
}
