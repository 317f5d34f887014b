import { type Arguments, type Io, UsageError } from 'holdfast/internal';
import { crossCheck } from '../both/cross-check.ts';
import { comparisonExitCode } from '../compare/judge-compared-cell.ts';
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

/** @throws UsageError for options that only the simulator or only the laboratory has */
export function refuseBoth(values: ReadonlyMap<string, string>): void {
  if ((values.get('servers') ?? 'local') !== 'local')
    throw new UsageError(
      '--both needs --servers local, which is its default',
      'The lab injects all faults only into servers that it started itself.',
    );
  if (values.get('profile') === 'short')
    throw new UsageError('--both needs the laboratory, not --profile short', 'Use quick or full.');
  if (values.has('shard')) throw new UsageError('--both runs on one machine', 'Leave out --shard.');
}

/**
 * Runs the matrix in the simulator, then the laboratory, and compares their verdicts. Resolves to the exit code, 0 if both are
 * as expected and the matrix gives the reason of every difference.
 * @throws UsageError if the laboratory, or all servers, are not installed; before anything is run
 */
export async function compareBoth(
  { settings, selection, args }: CrossCheckRequest,
  io: Io,
): Promise<number> {
  const { values, flags } = args;
  const json = flags.has('json');
  const simulator = new SimulatorFirst({ settings, selection, json }, io);
  const profile = values.get('profile') ?? 'quick';
  const { compareInLab } = await import('./lab.ts');
  const code = await compareInLab({ profile, args, selection, verdicts: simulator }, io);
  return Math.max(code, simulator.exitCode);
}

/** The simulator, which runs once the laboratory has checked that it can start. */
class SimulatorFirst {
  readonly #request: {
    readonly settings: ComparisonSettings;
    readonly selection: MatrixSelection;
    readonly json: boolean;
  };
  readonly #io: Io;
  #report: Report | undefined;

  constructor(
    request: { settings: ComparisonSettings; selection: MatrixSelection; json: boolean },
    io: Io,
  ) {
    this.#request = request;
    this.#io = io;
  }

  /** The exit code of the simulator alone. */
  get exitCode(): number {
    return this.#report === undefined ? 0 : comparisonExitCode(this.#report);
  }

  async play(): Promise<void> {
    const { settings, selection, json } = this.#request;
    const { stdout, stderr, env } = this.#io;
    const paint = paintFor(stdout, env);
    const progress = new Progress(stderr);
    const reporter = new ConsoleReporter({ out: stdout, progress, paint, quiet: json });
    this.#report = await runComparisons(runnersFor('embedded', settings, env, selection), reporter);
    progress.clear();
  }

  crossCheck(cells: readonly LabCell[]): CrossCheck {
    if (this.#report === undefined) throw new Error('the simulator was not run');
    return crossCheck(this.#report, cells, loadMatrix().differences);
  }
}
