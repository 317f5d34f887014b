import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { HistoryEvent } from '@holdfast/core/backend';

/** Bare `Omit` would merge the kinds of event into one. */
type Without<E, K extends PropertyKey> = E extends unknown ? Omit<E, K> : never;
/** An event before its place among those of other processes is known. */
export type LogEntry = Without<HistoryEvent, 'seq'>;

/** Appends events to a file. Each is written before the process continues, so that `kill -9` loses none. */
export class EventLog {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  add(entry: LogEntry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Reads the entries appended since the last read. */
export class LogReader {
  readonly #path: string;
  #read = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** A line that its writer has not finished is left for later. */
  async next(): Promise<readonly LogEntry[]> {
    const bytes = (await this.#bytes()).subarray(this.#read);
    const whole = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
    this.#read += whole.length;
    const lines = whole.toString('utf8').split('\n');
    return lines.slice(0, -1).map((text): LogEntry => JSON.parse(text));
  }

  async #bytes(): Promise<Buffer> {
    try {
      return await readFile(this.#path);
    } catch {
      // Its writer has only just been started.
      return Buffer.alloc(0);
    }
  }
}

const NEWLINE = 0x0a;

/**
 * Merges several logs in the order of the host's clock, which is set to 0 at `zeroMs`; by default at the first entry.
 */
export function historyOf(
  entries: readonly LogEntry[],
  zeroMs: number = Math.min(...entries.map(({ atMs }) => atMs)),
): HistoryEvent[] {
  return entries
    .toSorted((a, b) => a.atMs - b.atMs)
    .map((entry, seq) => ({ ...since(entry, zeroMs), seq }));
}

/** Drops what a killed process logged after its crash: a signal takes a moment to arrive. Its writes count. */
export function livingOnly(entries: readonly LogEntry[]): readonly LogEntry[] {
  const deaths = new Map(
    entries.filter(({ type }) => type === 'crashed').map(({ client, atMs }) => [client, atMs]),
  );
  return entries.filter(
    ({ type, client, atMs }) =>
      type === 'write' || atMs <= (deaths.get(client) ?? Number.POSITIVE_INFINITY),
  );
}

function since(entry: LogEntry, zeroMs: number): LogEntry {
  const atMs = entry.atMs - zeroMs;
  if ('validUntilMs' in entry) return { ...entry, atMs, validUntilMs: entry.validUntilMs - zeroMs };
  if ('untilMs' in entry) return { ...entry, atMs, untilMs: entry.untilMs - zeroMs };
  return { ...entry, atMs };
}
