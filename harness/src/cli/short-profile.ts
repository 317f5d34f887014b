import { type Arguments, UsageError } from 'holdfast/internal';
import { PLAYABLE_FAULTS } from '../lab/short/run-fault.ts';
import type { MatrixSelection } from './matrix-selection.ts';

const SIMULATOR_ONLY = ['seed', 'budget', 'jobs', 'deep', 'with-exhibits', 'all'];

/** @throws UsageError for options that have no effect in the short profile */
export function refuseForShort(
  { values, flags }: Arguments,
  { faults = [] }: MatrixSelection,
): void {
  const other = faults.find((fault) => !isPlayable(fault));
  if (other !== undefined)
    throw new UsageError(
      `--profile short cannot run ${other}, only ${PLAYABLE_FAULTS.join(', ')}`,
      'The lab runs more: use --profile quick.',
    );
  const idle = SIMULATOR_ONLY.find((name) => values.has(name) || flags.has(name));
  if (idle !== undefined)
    throw new UsageError(`--${idle} is not for --profile short`, 'It is for the simulator.');
  if (values.has('dial'))
    throw new UsageError('--dial is not for --profile short', 'It is for the laboratory.');
}

/** The selected faults that the short profile can run. */
export function playableOf({ faults }: MatrixSelection): readonly string[] | undefined {
  return faults?.filter(isPlayable);
}

function isPlayable(fault: string): boolean {
  return PLAYABLE_FAULTS.some((each) => each === fault);
}
