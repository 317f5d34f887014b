import { EXHIBITS } from '@holdfast/exhibits';
import type { Subject } from '@holdfast/sim';
import {
  cellIn,
  isTried,
  loadMatrix,
  type Row,
  rowName,
  type Trial,
  tryCell,
} from '../matrix/index.ts';
import { EXHIBIT_SUBJECTS } from '../search/index.ts';
import type { EmbeddedSettings } from './embedded-head.ts';
import { matrixRow } from './expected.ts';
import type { RunHead } from './format-safety.ts';
import { judgeCell } from './judge-cell.ts';
import type { Column } from './notation.ts';
import type { Cell, Figure, ReportRow } from './report.ts';
import { simulatedEvidence } from './simulated-evidence.ts';
import type { Stage } from './stage.ts';

/** What shows each of them break, by its fault. */
const STORIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'setnx-del': { 'holder-crash': 'setnx-del-crash' },
  'setnx-expire': { 'holder-crash': 'setnx-expire-crash' },
  'set-nx-fixed': { delay: 'set-nx-fixed-late-del' },
  'set-nx-same-id': { delay: 'set-nx-same-id-late-release' },
  'set-nx-get-del': { delay: 'set-nx-get-del-between' },
  'set-nx-lua': { pause: 'set-nx-lua-pause' },
};

/** Where a flaw is known, and has not shown yet, up to this many budgets are spent. */
const BUDGETS_MAX = 60;

/** Locks that are kept to be shown, under the faults that a lock on one Redis is up against. Of them nothing is expected. */
export class ExhibitStage implements Stage {
  readonly head: RunHead;
  readonly #settings: EmbeddedSettings;

  constructor(settings: EmbeddedSettings) {
    const { seed, budget, faults } = settings;
    this.#settings = settings;
    this.head = {
      servers: 'embedded',
      how: 'simulated',
      by: 'the exhibits, in the same simulator: do not use them',
      settings: { seed, schedules: budget },
      rows: loadMatrix()
        .rows.filter(({ fault }) => faults?.includes(fault) ?? true)
        .filter((row) => isTried(cellIn(row, 'redis-simple')))
        .map(({ fault, variant }) => (variant === undefined ? { fault } : { fault, variant })),
      columns: EXHIBITS.map(({ name, flaw }) => columnOf(name, flaw)),
    };
  }

  untried(): undefined {
    return undefined;
  }

  async cell(row: ReportRow, { id }: Column): Promise<Cell> {
    const subject = EXHIBIT_SUBJECTS.find(({ name }) => name === id);
    const played = matrixRow(row);
    if (subject === undefined || played === undefined)
      throw new Error(`there is no ${id} under ${rowName(row)}`);
    const cell = await this.#judged(subject, played, { ...row, how: 'simulated', column: id });
    const story = STORIES[id]?.[row.fault];
    return { ...cell, unexpected: false, ...(story === undefined ? {} : { stories: [story] }) };
  }

  figures(): Promise<readonly Figure[]> {
    return Promise.resolve([]);
  }

  close(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** Who waits for ever has not got what a lock promises either. */
  async #judged(subject: Subject, row: Row, place: Parameters<typeof judgeCell>[0]): Promise<Cell> {
    const { seed, budget } = this.#settings;
    const known = STORIES[subject.name]?.[row.fault] !== undefined;
    const trial = await tryCell(subject, row, {
      seed,
      budget: known ? budget * BUDGETS_MAX : budget,
      enough: (sofar) => sofar.tally.schedules >= budget && isBroken(sofar),
    });
    const evidence = await simulatedEvidence(trial, subject);
    if (evidence.stuck > 0) {
      const cell = judgeCell(place, evidence, { accepted: 0, stuck: 1 });
      return { ...cell, outcome: 'breaks' };
    }
    return judgeCell(place, evidence, { accepted: 0, stuck: 0 });
  }
}

function isBroken({ tally: { violated } }: Trial): boolean {
  return (violated['validity'] ?? 0) + (violated['liveness'] ?? 0) > 0;
}

/** Its name over two lines, because six of them stand side by side. */
function columnOf(name: string, meaning: string): Column {
  const [, backend = name, client = ''] = /^(setnx|set-nx)-(.+)$/.exec(name) ?? [];
  return { id: name, backend, client, meaning };
}
