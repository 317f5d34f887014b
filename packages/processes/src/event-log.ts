import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { HistoryEvent } from '@holdfast/core';

/** Bare `Omit` would merge the kinds of event into one. */
type Without<E, K extends PropertyKey> = E extends unknown ? Omit<E, K> : never;
/** An event before it has its place among those of other processes. */
export type Entry = Without<HistoryEvent, 'seq'>;

/** Appends events to a file, each before the process goes on, so that `kill -9` loses none. */
export class EventLog {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  add(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** What stands in a log; a line that its writer did not live to finish is left out. */
export async function readLog(path: string): Promise<readonly Entry[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  return lines.slice(0, -1).map((text): Entry => JSON.parse(text));
}

/** The entries of one key from several logs, in the order of the host's clock, which is set to 0 at the first. */
export function historyOf(logs: readonly (readonly Entry[])[], key: string): HistoryEvent[] {
  const entries = logs
    .flat()
    .filter((entry) => entry.key === key)
    .toSorted((a, b) => a.atMs - b.atMs);
  const zeroMs = entries[0]?.atMs ?? 0;
  return entries.map((entry, seq) => ({ ...since(entry, zeroMs), seq }));
}

function since(entry: Entry, zeroMs: number): Entry {
  const atMs = entry.atMs - zeroMs;
  if ('validUntilMs' in entry) return { ...entry, atMs, validUntilMs: entry.validUntilMs - zeroMs };
  if ('untilMs' in entry) return { ...entry, atMs, untilMs: entry.untilMs - zeroMs };
  return { ...entry, atMs };
}
