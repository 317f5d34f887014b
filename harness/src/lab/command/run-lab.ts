import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '@holdfast/core';
import type { ServerFactory } from '../../plant/index.ts';
import type { OwnServersScope } from '../deployments/own-servers.ts';
import { Evaluation } from '../evaluation/evaluate.ts';
import type { ExpectationOf } from '../evaluation/judge-lab-cell.ts';
import type { LabReport } from '../evaluation/report.ts';
import { UnexpectedExit } from '../evaluation/shared-resources.ts';
import { pageOf } from '../report/page.ts';
import { formatCell, formatLab } from './format.ts';
import { playable } from './playable.ts';
import { addSimulatorResults, type Simulator } from './simulated.ts';

/** What the command line asks of the laboratory. */
export interface LabRequest {
  readonly serverFactory: ServerFactory;
  readonly expectationOf: ExpectationOf;
  readonly simulator: Simulator;
  readonly ttlMs: number;
  /** Other ttls to try with, in ms. */
  readonly otherTtlsMs: readonly number[];
  readonly trials: number;
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** Whether all is played that can be. */
  readonly full: boolean;
  /** Servers of the user's to work on; absent: the laboratory starts its own. */
  readonly own?: OwnServersScope | undefined;
  /** The folder for `report.json` and `report.html`. */
  readonly out: string;
  /** Makes a folder, and those that lead to it; throws what the file system says where it cannot. */
  readonly makeFolder: (folder: string) => void;
  /** Version of the package that people install. */
  readonly holdfast: string;
  /** As it was typed. */
  readonly command: string;
  /** Whether the report itself is printed, and nothing else. */
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly step: (text: string) => void;
  /** A line for people that stays, beside what is printed. */
  readonly note: (text: string) => void;
}

/** How long somebody who pressed Ctrl-C waits for servers of theirs to be left as they were. */
const CLEANUP_MS = 1_000;
/** As a shell reports a command that a signal ended. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Plays everything, prints what comes of it, writes the report; resolves to the exit code, 0 when all is as expected. A
 * signal ends it at once, and so does a breakdown: what is known by then is written, marked as partial, and whoever
 * watches over our servers and clients ends them.
 * @throws ConfigError for what cannot be played, or where the folder cannot be written to; before anything is started
 */
export async function runLab(request: LabRequest): Promise<number> {
  playable(request);
  prepare(request.out, request.makeFolder);
  const { print, json, step } = request;
  const evaluation = new Evaluation({
    ...request,
    cell: (cell) => {
      if (!json) print(formatCell(cell));
    },
  });
  let withSimulator = unchanged;
  const end = async (why: string, code: number): Promise<never> => {
    await evaluation.abort(CLEANUP_MS);
    writePartialReport(withSimulator(evaluation.report({ partial: true })), why, request);
    process.exit(code);
  };
  const remove = onSignals(end);
  try {
    step('the simulator: plays the stories that are shown beside what servers do');
    withSimulator = await addSimulatorResults(request.simulator, request);
    step('the laboratory: starts its clients, the resource and the proxies');
    const report = withSimulator(await evaluation.run());
    print(json ? JSON.stringify(report, null, 2) : formatLab(report));
    return isWritten(report, request) && isAsExpected(report) ? 0 : 1;
  } catch (error) {
    if (error instanceof UnexpectedExit) return await end(error.message, 1);
    throw error;
  } finally {
    remove();
  }
}

/** While the simulator has said nothing yet. */
function unchanged(report: LabReport): LabReport {
  return report;
}

/** What is known when it ends in the middle. */
function writePartialReport(report: LabReport, why: string, { out, note }: LabRequest): void {
  try {
    note(`${why}. The report is partial: ${write(report, out)}`);
  } catch (cause) {
    note(`${why}. ${notWritten(out, cause)}`);
  }
}

/** What was played for so long is on the screen already. */
function isWritten(report: LabReport, { out, json, print, note }: LabRequest): boolean {
  try {
    const page = write(report, out);
    if (!json) print(`Report  ${page}`);
    return true;
  } catch (cause) {
    note(notWritten(out, cause));
    return false;
  }
}

/** The simulator beside it has a verdict of its own, which its report has. */
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
 * Makes the folder with `makeFolder`, where it is not there.
 * @throws ConfigError where no report can be written to it
 */
export function prepare(folder: string, makeFolder: (folder: string) => void): void {
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

/** Returns where the page is. */
export function write(report: LabReport, folder: string): string {
  const page = join(folder, PAGE);
  writeFileSync(join(folder, DATA), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(page, pageOf(report));
  return page;
}

export function notWritten(folder: string, cause: unknown): string {
  const why = cause instanceof Error ? cause.message : String(cause);
  return `the report cannot be written to ${folder}: ${why}`;
}
