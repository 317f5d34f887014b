import type { Out } from '../io.ts';
import type { Change, Hold } from './hold-history.ts';
import { type Columns, headingOf, holdCells, rowOf, seconds, UNKNOWN } from './hold-text.ts';
import { jsonOf } from './json-line.ts';

/** Where `holdfast watch` shows what it sees. */
export interface WatchOutput {
  change(change: Change): void;
  /** After each look at all keys. */
  round(holds: readonly Hold[]): void;
  unreachable(message: string): void;
  reachable(): void;
}

/** A table on a terminal, lines elsewhere. */
export function outputOf(
  out: Out,
  { json, backend }: { readonly json: boolean; readonly backend: string },
): WatchOutput {
  if (json) return new JsonLines(out);
  return out.clear === undefined ? new TextLines(out, backend) : new Table(out, out.clear, backend);
}

class JsonLines implements WatchOutput {
  readonly #out: Out;

  constructor(out: Out) {
    this.#out = out;
  }

  change({ change, hold, ...more }: Change): void {
    const { inspection, losses, firstSeenMs } = hold;
    const firstSeen = new Date(firstSeenMs).toISOString();
    const held = change !== 'ended';
    this.#out.write(
      jsonOf({ ...inspection, held }, { at: at(), change, ...more, firstSeen, losses }),
    );
  }

  round(): void {
    // Each change has its line.
  }

  unreachable(message: string): void {
    this.#write({ at: at(), change: 'unreachable', message });
  }

  reachable(): void {
    this.#write({ at: at(), change: 'reachable' });
  }

  #write(line: object): void {
    this.#out.write(`${JSON.stringify(line)}\n`);
  }
}

class TextLines implements WatchOutput {
  readonly #out: Out;
  readonly #backend: string;

  constructor(out: Out, backend: string) {
    this.#out = out;
    this.#backend = backend;
  }

  change(change: Change): void {
    this.#write(`${change.hold.inspection.key} ${textOf(change)}`);
  }

  round(): void {
    // Each change has its line.
  }

  unreachable(message: string): void {
    this.#write(`no reply: ${message}`);
  }

  reachable(): void {
    this.#write(`${this.#backend} replies again`);
  }

  #write(text: string): void {
    this.#out.write(`${at()} ${text}\n`);
  }
}

function textOf(change: Change): string {
  const { holder = 'an unknown holder', fencingToken, waiters = 0 } = change.hold.inspection;
  if (change.change === 'ended') return `is no longer held by ${holder}: ${END_TEXT[change.how]}`;
  if (change.change === 'waiters') return `has ${waiters} ${waiters === 1 ? 'waiter' : 'waiters'}`;
  return `is held by ${holder}${fencingToken === undefined ? '' : `, token ${fencingToken}`}`;
}

const END_TEXT = {
  released: 'it was released',
  expired: 'its lease ran out',
  unknown: 'it was released, or its lease ran out',
} as const;

const COLUMNS: Columns = [
  ['KEY', 32],
  ['REMAINING', 10],
  ['TOKEN', 17],
  ['WAITERS', 7],
  ['FIRST SEEN', 14],
  ['LOST', 4],
  ['HOLDER', 0],
];

/** Lines beside the rows: title, heading, events, and the one that a terminal keeps for the cursor. */
const OTHER_LINES = 9;
const ROWS_DEFAULT = 24;
const EVENTS_SHOWN = 5;

class Table implements WatchOutput {
  readonly #out: Out;
  readonly #clear: () => void;
  readonly #backend: string;
  readonly #events: string[] = [];
  #trouble: string | undefined;

  constructor(out: Out, clear: () => void, backend: string) {
    this.#out = out;
    this.#clear = clear;
    this.#backend = backend;
  }

  change(change: Change): void {
    const time = new Date().toISOString().slice(11, 19);
    this.#events.unshift(rowOf([], [time, `${change.hold.inspection.key} ${textOf(change)}`]));
    this.#events.length = Math.min(this.#events.length, EVENTS_SHOWN);
  }

  round(holds: readonly Hold[]): void {
    const fits = Math.max(1, (this.#out.rows ?? ROWS_DEFAULT) - OTHER_LINES);
    const rows = holds.slice(0, fits).map(rowFor).join('');
    const more = holds.length > fits ? `… and ${holds.length - fits} more\n` : '';
    const state = this.#trouble ?? `${holds.length} held`;
    this.#clear();
    this.#out.write(
      `${this.#backend}: ${state}\n\n${headingOf(COLUMNS)}${rows}${more}\n${this.#events.join('')}`,
    );
  }

  unreachable(message: string): void {
    this.#trouble = `no reply: ${message}`;
  }

  reachable(): void {
    this.#trouble = undefined;
  }
}

function rowFor({ inspection, firstSeenMs, losses }: Hold): string {
  const { key, holder } = inspection;
  const seen = `${seconds(Math.max(0, Date.now() - firstSeenMs))} ago`;
  return rowOf(COLUMNS, [key, ...holdCells(inspection), seen, `${losses}`, holder ?? UNKNOWN]);
}

function at(): string {
  return new Date().toISOString();
}
