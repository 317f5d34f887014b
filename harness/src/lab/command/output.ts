import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '@holdfast/core';
import type { LabReport } from '../evaluation/report.ts';
import { pageOf } from '../report/page.ts';

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
