import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { ConfigError } from '@holdfast/core';
import type { ServerFactory } from '../../real/index.ts';
import type { OwnServersScope } from '../deployments/own-servers.ts';
import { Evaluation } from '../evaluation/evaluate.ts';
import type { ExternalLock } from '../evaluation/external.ts';
import type { ExpectationOf } from '../evaluation/judge-lab-cell.ts';
import type { LabReport } from '../evaluation/report.ts';
import { UnexpectedExit } from '../evaluation/shared-resources.ts';
import { formatCell, formatLab } from './format.ts';
import { rejectUnplayable } from './reject-unplayable.ts';
import { addSimulatorResults, type Simulator } from './simulated.ts';

/** A request of the command line to the laboratory. */
export interface LabRequest {
  readonly serverFactory: ServerFactory;
  readonly expectationOf: ExpectationOf;
  readonly simulator: Simulator;
  readonly ttlMs: number;
  /** Other ttls to measure, in ms. */
  readonly otherTtlsMs: readonly number[];
  readonly trials: number;
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** True to run every cell that can be run. */
  readonly full: boolean;
  /** A lock that is a command. */
  readonly external?: ExternalLock | undefined;
  /** The user's servers; absent if the laboratory starts its own. */
  readonly own?: OwnServersScope | undefined;
  /** The folder for `report.json` and `report.html`. */
  readonly out: string;
  /** Makes a folder and its parents; throws the error of the file system. */
  readonly makeFolder: (folder: string) => void;
  /** Version of the package `holdfast`. */
  readonly holdfast: string;
  /** The command that the user ran. */
  readonly command: string;
  /** True to print the report as JSON, and nothing else. */
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly step: (text: string) => void;
  /** Prints a permanent line for people, apart from the output. */
  readonly note: (text: string) => void;
}

/** A request, with the function that writes a report as a page. */
interface ReportTarget extends LabRequest {
  readonly pageOf: (report: LabReport) => string;
}

/** The time after Ctrl-C in which the lab may remove its keys from the user's servers, in ms. */
const CLEANUP_MS = 1_000;
/** Exit codes that shells use for a command ended by a signal. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs the evaluation, prints its results and writes the report. Resolves to the exit code, 0 if all is as expected. A
 * signal, or the unexpected exit of a process, ends it at once: the results so far are written, marked as partial, and the
 * supervisor ends the servers and clients.
 * @throws ConfigError before anything is started: for a cell that cannot be run, or if the folder is not writable
 */
export async function runLab(request: LabRequest): Promise<number> {
  rejectUnplayable(request);
  prepare(request.out, request.makeFolder);
  const { print, json, step } = request;
  // Charts need a document and a plotting library, which take long to load: a request that was refused does without.
  const { pageOf } = await import('../report/page.ts');
  const target = { ...request, pageOf };
  const evaluation = new Evaluation({
    ...request,
    cell: (cell) => {
      if (!json) print(formatCell(cell));
    },
  });
  let withSimulator = unchanged;
  const endNow = async (why: string, code: number): Promise<never> => {
    await evaluation.abort(CLEANUP_MS);
    writePartialReport(withSimulator(evaluation.report({ partial: true })), why, target);
    process.exit(code);
  };
  let ended: Promise<never> | undefined;
  const end = (why: string, code: number): Promise<never> => {
    ended ??= endNow(why, code);
    return ended;
  };
  const remove = onSignals(end);
  try {
    step('simulator: replaying the stories that are shown beside the real results');
    withSimulator = await addSimulatorResults(request.simulator, request);
    step('lab: starting its clients, the resource and the proxies');
    const report = withSimulator(await evaluation.run());
    print(json ? JSON.stringify(report, null, 2) : formatLab(report));
    return isWritten(report, target) && isAsExpected(report) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UnexpectedExit)) throw error;
    // Ctrl-C ends the processes of the lab, too, and Node hears of a signal last of all that came in one turn.
    await setImmediate();
    return await end(error.message, 1);
  } finally {
    remove();
  }
}

/** Used until the simulator has results. */
function unchanged(report: LabReport): LabReport {
  return report;
}

/** Writes the results of a run that was ended early. */
function writePartialReport(report: LabReport, why: string, target: ReportTarget): void {
  const { out, note } = target;
  try {
    note(`${why}. The report is partial: ${write(report, target)}`);
  } catch (cause) {
    note(`${why}. ${notWritten(out, cause)}`);
  }
}

/** Writes the report. A failure is only noted: the results of a long run are on the screen already. */
function isWritten(report: LabReport, target: ReportTarget): boolean {
  const { out, json, print, note } = target;
  try {
    const page = write(report, target);
    if (!json) print(`Report  ${page}`);
    return true;
  } catch (cause) {
    note(notWritten(out, cause));
    return false;
  }
}

/** Ignores the simulator's own verdict, which its report has. */
function isAsExpected({ verdict, both }: LabReport): boolean {
  return verdict === 'as-expected' && both?.verdict !== 'unexplained';
}

function onSignals(end: (why: string, code: number) => Promise<never>): () => void {
  const removals = Object.entries(SIGNAL_CODES).map(([signal, code]) => {
    const handler = (): void => void end(`Ended by ${signal}`, code);
    process.once(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => removals.forEach((remove) => remove());
}

const DATA = 'report.json';
const PAGE = 'report.html';

/**
 * Makes the folder with `makeFolder` if it does not exist.
 * @throws ConfigError if no report can be written to it
 */
function prepare(folder: string, makeFolder: (folder: string) => void): void {
  try {
    makeFolder(resolve(folder));
    accessSync(folder, constants.W_OK);
    for (const path of [DATA, PAGE].map((name) => join(folder, name)))
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
        throw new Error(`${path} is a folder`);
  } catch (cause) {
    throw new ConfigError(notWritten(folder, cause), { cause });
  }
}

/** Returns the path of the page. */
function write(report: LabReport, { out: folder, pageOf }: ReportTarget): string {
  const page = join(folder, PAGE);
  writeFileSync(join(folder, DATA), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(page, pageOf(report));
  return page;
}

function notWritten(folder: string, cause: unknown): string {
  const why = cause instanceof Error ? cause.message : String(cause);
  return `cannot write the report to ${folder}: ${why}`;
}
