import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@holdfast/core';
import { LAB_COLUMN_IDS, LAB_COLUMNS } from '../evaluation/columns.ts';
import { Evaluation } from '../evaluation/evaluate.ts';
import type { ExpectationOf } from '../evaluation/judge-cell.ts';
import { CLIENT_FAULTS, LAB_FAULTS } from '../evaluation/plan.ts';
import type { LabReport } from '../evaluation/report.ts';
import type { Plant } from '../plant.ts';
import { pageOf } from '../report/page.ts';
import type { OwnGrounds } from '../servers/own.ts';
import { formatCell, formatLab } from './format.ts';
import { type Simulator, simulatedBeside } from './simulated.ts';

/** What the command line asks of the laboratory. */
export interface LabRequest {
  readonly plant: Plant;
  readonly expectationOf: ExpectationOf;
  readonly simulator: Simulator;
  readonly ttlMs: number;
  /** Other ttls to try with, in ms. */
  readonly dial: readonly number[];
  readonly trials: number;
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** Whether all is played that can be. */
  readonly full: boolean;
  /** Servers of the user's to work on; absent: the laboratory starts its own. */
  readonly own?: OwnGrounds | undefined;
  /** The folder for `report.json` and `report.html`. */
  readonly out: string;
  /** Version of the package that people install. */
  readonly holdfast: string;
  /** As it was typed. */
  readonly command: string;
  /** Whether the report itself is printed, and nothing else. */
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly step: (text: string) => void;
}

/** How long somebody who pressed Ctrl-C waits for servers of theirs to be left as they were. */
const LEAVE_MS = 1_000;
/** As a shell reports a command that a signal ended. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Plays everything, prints what comes of it, writes the report; resolves to the exit code, 0 when all is as expected. A
 * signal ends it at once: what is known by then is written, marked as partial, and whoever watches over our servers and
 * clients ends them.
 * @throws ConfigError for what cannot be played, or where the folder cannot be written to; before anything is started
 */
export async function runLab(request: LabRequest): Promise<number> {
  playable(request);
  writable(request.out);
  const { print, json } = request;
  const withSimulator = await simulatedBeside(request.simulator, request);
  const evaluation = new Evaluation({
    ...request,
    cell: (cell) => {
      if (!json) print(formatCell(cell));
    },
  });
  const remove = onSignals(async (code) => {
    await evaluation.abandon(LEAVE_MS);
    write(withSimulator(evaluation.report({ partial: true })), request.out);
    process.exit(code);
  });
  try {
    const report = withSimulator(await evaluation.run());
    const path = write(report, request.out);
    print(json ? JSON.stringify(report, null, 2) : formatLab(report, path));
    return isAsExpected(report) ? 0 : 1;
  } finally {
    remove();
  }
}

/** The simulator beside it has a verdict of its own, which its report has. */
function isAsExpected({ verdict, both }: LabReport): boolean {
  return verdict === 'as-expected' && both?.verdict !== 'unexplained';
}

/** @throws ConfigError for what cannot be struck, or cannot strike, on real servers */
function playable({ faults = [], backends = [], own }: LabRequest): void {
  const strange = faults.find((fault) => !LAB_FAULTS.some((each) => each === fault));
  if (strange !== undefined)
    throw new ConfigError(
      `real servers do not show ${strange}; what they show: ${LAB_FAULTS.join(', ')}`,
    );
  const isOwn = own !== undefined && faults.length > 0;
  if (isOwn && !faults.some((fault) => CLIENT_FAULTS.some((each) => each === fault)))
    throw new ConfigError(
      `${faults.join(', ')}: the laboratory strikes only servers that it started itself; on yours it plays ${CLIENT_FAULTS.join(', ')}`,
    );
  const known = own?.servers.map(({ backend }) => backend) ?? serverColumns();
  const other = backends.find((backend) => !known.includes(backend));
  if (other !== undefined)
    throw new ConfigError(`${other} has no servers to strike; what has: ${serverBackends(known)}`);
}

function serverColumns(): readonly string[] {
  return LAB_COLUMN_IDS.map((id) => LAB_COLUMNS[id].backend);
}

function serverBackends(known: readonly string[]): string {
  return [...new Set(known)].filter((backend) => backend !== 'no-lock').join(', ');
}

function onSignals(end: (code: number) => Promise<void>): () => void {
  const removals = Object.entries(SIGNAL_CODES).map(([signal, code]) => {
    const handler = (): void => void end(code);
    process.once(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => removals.forEach((remove) => remove());
}

function writable(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`the report cannot be written to ${folder}: ${why}`, { cause });
  }
}

/** Returns where the page is. */
function write(report: LabReport, folder: string): string {
  const page = join(folder, 'report.html');
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(page, pageOf(report));
  return page;
}
