import { attemptOf } from '../../../sim/schedule/holds.ts';
import type { PlaceLog } from '../../../sim/schedule/place-log.ts';
import type { Subject } from '../../../sim/schedule/subject.ts';
import type { RowChange } from './engine.ts';

export interface QueueParts {
  readonly places: PlaceLog;
  readonly waiterOf: NonNullable<Subject['waiterOf']>;
}

/** Records the places of those that wait: rows with a contender, a place and no owner. */
export class QueueRecords {
  readonly #parts: QueueParts;
  /** By row. */
  readonly #waiting = new Map<string, readonly [contender: string, place: number]>();
  readonly #holding = new Map<string, string>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  changed({ table, id, after }: RowChange): void {
    const row = `${table}\n${id}`;
    this.#waiting.delete(row);
    this.#holding.delete(row);
    const { owner, contender } = after ?? {};
    if (typeof owner === 'string' && attemptOf(owner) > 0) this.#holding.set(row, owner);
    const waiter =
      typeof contender === 'string' && owner === null
        ? this.#parts.waiterOf(contender, table)
        : undefined;
    if (waiter !== undefined) this.#waiting.set(row, [waiter, Number(after?.['place'])]);
  }

  /** All that a server stores after a restart or a promotion. */
  all(server: string, rows: readonly RowChange[]): void {
    this.#waiting.clear();
    this.#holding.clear();
    for (const row of rows) this.changed(row);
    this.executed(server);
  }

  executed(server: string): void {
    const waiting = Array.from(this.#waiting.values()).toSorted(([, a], [, b]) => a - b);
    this.#parts.places.executed(server, {
      waiting: new Map(waiting),
      holding: Array.from(this.#holding.values()),
    });
  }
}
