import { type Arguments, type CommandBody, type Io, UsageError } from 'holdfast/internal';
import { subjectOf } from '../locks/index.ts';
import { formatMargins, type Margin, quantilesOf } from '../margin/format-margins.ts';
import {
  hasNoEarlyGrant,
  MARGIN_DEFAULTS,
  MEASURED,
  measureMargins,
  rowsFor,
} from '../margin/measure-margins.ts';
import { loadMatrix } from '../matrix/index.ts';
import { MARGIN_HELP } from './help.ts';
import { wholeNumber } from './number-options.ts';
import { Progress } from './progress.ts';

const BUDGET = {
  option: 'budget',
  fallback: MARGIN_DEFAULTS.budget,
  min: 1,
  max: 1_000_000,
} as const;
const SEED = { option: 'seed', fallback: MARGIN_DEFAULTS.seed, min: 0, max: 2 ** 32 - 1 } as const;

export const marginCommand: CommandBody = {
  options: { budget: 'value', seed: 'value', json: 'flag' },
  help: MARGIN_HELP,
  run: runMargin,
};

async function runMargin({ flags, values, operands }: Arguments, io: Io): Promise<number> {
  const effort = { budget: wholeNumber(values, BUDGET), seed: wholeNumber(values, SEED) };
  const locks = operands.length === 0 ? MEASURED : operands.map(lockFrom);
  const matrix = loadMatrix();
  const progress = new Progress(io.stderr);
  const margins: Margin[] = [];
  for (const lock of locks) {
    progress.step(`${lock}: measuring`);
    const measured = await measureMargins(subjectOf(lock), rowsFor(lock, matrix), effort);
    margins.push({ lock, measured });
  }
  progress.clear();
  const lines = flags.has('json')
    ? [JSON.stringify(margins.map(jsonOf), null, 2)]
    : formatMargins(margins);
  io.stdout.write(`${lines.join('\n')}\n`);
  return margins.every(hasNoEarlyGrant) ? 0 : 1;
}

function jsonOf({ lock, measured }: Margin): object {
  const { schedules, ranOut, endedEarly, ttlMs, violations } = measured;
  const ms = quantilesOf(measured);
  return { lock, schedules, leases: ranOut.length, endedEarly, ttlMs, ms, violations };
}

function lockFrom(name: string): string {
  const lock = MEASURED.find((each) => each === name);
  if (lock !== undefined) return lock;
  throw new UsageError(
    `no safety margin of "${name}" can be measured`,
    `Use ${MEASURED.join(', ')}.`,
  );
}
