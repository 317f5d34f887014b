import { type Arguments, type Io, UsageError } from 'holdfast/internal';
import { crossCheck } from '../both/cross-check.ts';
import { exitCodeOf } from '../compare/judge-compared-cell.ts';
import { paintFor } from '../compare/paint.ts';
import type { Report } from '../compare/report.ts';
import type { CrossCheck, LabCell } from '../lab/index.ts';
import { loadMatrix } from '../matrix/index.ts';
import { runnersFor } from './comparison-runners.ts';
import type { MatrixSelection } from './matrix-selection.ts';
import { Progress } from './progress.ts';
import { ConsoleReporter, runComparisons } from './run-comparisons.ts';
import type { ComparisonSettings } from './settings.ts';

export interface CrossCheckRequest {
  readonly settings: ComparisonSettings;
  readonly selection: MatrixSelection;
  readonly args: Arguments;
}

/** @throws UsageError for what can only be asked of one of the two */
export function refuseBoth(values: ReadonlyMap<string, string>): void {
  if ((values.get('servers') ?? 'local') !== 'local')
    throw new UsageError(
      '--both is for --servers local, which may be left out',
      'Only servers that the laboratory started itself are struck by all that the simulator plays.',
    );
  if (values.get('profile') === 'short')
    throw new UsageError(
      '--both needs the laboratory, not --profile short',
      'It is quick or full.',
    );
  if (values.has('shard'))
    throw new UsageError('--both plays on one machine', 'Leave out --shard.');
}

/**
 * Plays the matrix in the simulator, then the laboratory, and sets what they say side by side; resolves to the exit
 * code, 0 when both are as expected and the matrix gives the reason of every difference.
 * @throws UsageError where the laboratory, or all servers, are not installed; before anything is played
 */
export async function compareBoth(
  { settings, selection, args }: CrossCheckRequest,
  io: Io,
): Promise<number> {
  const { values, flags } = args;
  const json = flags.has('json');
  const simulator = new SimulatorFirst({ settings, chosen: selection, json }, io);
  const profile = values.get('profile') ?? 'quick';
  const { compareInLab } = await import('./lab.ts');
  const code = await compareInLab({ profile, args, selection, verdicts: simulator }, io);
  return Math.max(code, simulator.exitCode);
}

/** The simulator, which is played when the laboratory knows that it can begin. */
class SimulatorFirst {
  readonly #wanted: {
    readonly settings: ComparisonSettings;
    readonly chosen: MatrixSelection;
    readonly json: boolean;
  };
  readonly #io: Io;
  #report: Report | undefined;

  constructor(
    wanted: { settings: ComparisonSettings; chosen: MatrixSelection; json: boolean },
    io: Io,
  ) {
    this.#wanted = wanted;
    this.#io = io;
  }

  /** Of the simulator alone. */
  get exitCode(): number {
    return this.#report === undefined ? 0 : exitCodeOf(this.#report);
  }

  async play(): Promise<void> {
    const { settings, chosen, json } = this.#wanted;
    const { stdout, stderr, env } = this.#io;
    const paint = paintFor(stdout, env);
    const progress = new Progress(stderr);
    const audience = new ConsoleReporter({ out: stdout, progress, paint, quiet: json });
    this.#report = await runComparisons(runnersFor('embedded', settings, env, chosen), audience);
    progress.clear();
  }

  crossCheck(cells: readonly LabCell[]): CrossCheck {
    if (this.#report === undefined) throw new Error('the simulator was not played');
    return crossCheck(this.#report, cells, loadMatrix().differences);
  }
}
