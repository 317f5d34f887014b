import type { RestartOptions } from '../../../sim/schedule/cluster.ts';
import { DataLog } from './data-log.ts';
import type { PostgresEngine, RowChange } from './engine.ts';
import type { ClientRequest, HoldRecords } from './hold-records.ts';
import type { LoggedChange, Notification, Transaction } from './sql/transaction.ts';

/** All data of a primary. */
export interface StandbyCopy {
  readonly contents: readonly LoggedChange[];
  readonly position: number;
}

/** The events of a server that replication listens to. */
export interface StorageListener {
  /** The position counts transactions. */
  readonly logged: (changes: readonly LoggedChange[], position: number) => void;
  /** The server restarted. */
  readonly started: () => void;
}

/** A commit that waits until a standby has it. Until then nobody sees what it wrote, and its rows stay locked. */
interface CommitWait {
  readonly position: number;
  readonly finish: (warning?: string) => void;
}

const CANCELLED =
  'canceling wait for synchronous replication due to user request: the transaction has already committed locally, but might not have been replicated to the standby';

/** The part of a server that outlives a run: its log, its role, and its commits. */
export class Storage {
  readonly #log = new DataLog();
  readonly #holds: HoldRecords | undefined;
  readonly #listeners = new Set<StorageListener>();
  #waits: CommitWait[] = [];
  #engine: PostgresEngine | undefined;
  #isStandby = false;
  #position = 0;
  /** The position that a standby is known to have. */
  #acknowledged = 0;

  constructor(holds: HoldRecords | undefined) {
    this.#holds = holds;
  }

  get isStandby(): boolean {
    return this.#isStandby;
  }

  /** The number of transactions that it has logged, or that its standby has been told of. */
  get position(): number {
    return this.#position;
  }

  /** Returns a function that removes the listener. */
  listen(listener: StorageListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Fills the memory of a new run. */
  fillMemory(engine: PostgresEngine): void {
    this.#engine = engine;
    engine.isStandby = this.#isStandby;
    engine.advisoryLocks.records = this.#holds;
    this.#log.recover(engine);
    this.#recordAll();
  }

  started(): void {
    for (const { started } of this.#listeners) started();
  }

  died(): void {
    this.#waits = [];
    this.#acknowledged = 0;
    this.#holds?.died();
  }

  /** Drops the data that a restart loses. */
  lose({ data, lost = 1 }: RestartOptions): void {
    if (data === 'empty') this.#log.start([]);
    if (data === 'torn') this.#log.tear(lost);
  }

  /**
   * Commits: to the log at once, to others' view once a standby has it, if one has to. What a transaction notifies of is
   * sent then.
   */
  commit(
    transaction: Transaction,
    request: ClientRequest,
    done: (notifications: readonly Notification[], warning?: string) => void,
  ): void {
    const engine = this.#engine;
    const { notifications, changes } = transaction;
    const finish = (warning?: string): void => {
      const visible = engine?.changesOf(transaction) ?? [];
      transaction.end(true);
      this.#holds?.changed(visible, request);
      done(notifications, warning);
    };
    if (changes.length === 0) return finish();
    this.#position += 1;
    const position = this.#position;
    this.#log.append(changes);
    const isSynchronous = engine?.setting('synchronous_standby_names') !== '';
    if (isSynchronous) this.#waits.push({ position, finish });
    for (const { logged } of this.#listeners) logged(changes, position);
    if (!isSynchronous) finish();
  }

  /** A standby has everything up to this position. */
  acknowledged(position: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, position);
    const finished = this.#waits.filter((wait) => wait.position <= this.#acknowledged);
    this.#waits = this.#waits.filter((wait) => wait.position > this.#acknowledged);
    for (const { finish } of finished) finish();
  }

  /** An operator cancels the statements that wait for a standby: they succeed with a warning. */
  cancelWaits(): void {
    for (const { finish } of this.#waits.splice(0)) finish(CANCELLED);
  }

  become(role: 'primary' | 'standby'): void {
    this.#isStandby = role === 'standby';
    this.#waits = [];
    this.#acknowledged = 0;
    if (this.#engine !== undefined) this.#engine.isStandby = this.#isStandby;
    if (role === 'primary') this.#holds?.promoted();
    this.#recordAll();
  }

  clockChanged(): void {
    this.#recordAll();
  }

  /** A transaction of the primary has arrived. */
  apply(changes: readonly LoggedChange[], position: number): void {
    this.#log.append(changes);
    this.#position = position;
    this.#engine?.apply(changes);
  }

  /** Returns all data, for a standby. */
  copy(): StandbyCopy {
    return { contents: this.#log.contents, position: this.#position };
  }

  /** Replaces all data by the primary's; the next run has them. */
  replace({ contents, position }: StandbyCopy): void {
    this.#log.start(contents);
    this.#position = position;
  }

  /** A standby's data grants no lock. */
  #recordAll(): void {
    if (this.#engine === undefined || this.#holds === undefined) return;
    if (this.#isStandby) this.#holds.clear();
    else {
      const advisory = this.#engine.advisoryLocks.holds.map(({ key }) => key);
      this.#holds.all(this.#engine.contents().map(asChange), advisory);
    }
  }
}

function asChange({ table, id, values: after }: LoggedChange): RowChange {
  return { table, id, before: undefined, after };
}
