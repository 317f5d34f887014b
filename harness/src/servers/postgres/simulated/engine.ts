import { parseOwner } from '@holdfast/core/backend';
import type { Row } from '@holdfast/postgres/port';
import type { BoundStatement } from '@holdfast/postgres/sessions';
import { AdvisoryLocks } from './sql/advisory-locks.ts';
import { Catalogue } from './sql/catalogue.ts';
import { Executor, type Running } from './sql/executor.ts';
import type { RowValues } from './sql/expressions.ts';
import { callFunction, type FunctionContext } from './sql/functions.ts';
import { parse } from './sql/parse.ts';
import { StoredRow } from './sql/table.ts';
import { type LoggedChange, Transaction } from './sql/transaction.ts';
import { SqlUnsupported } from './sql/unsupported.ts';
import type { Value } from './sql/values.ts';

/** What is in a server's memory while it runs, as its log says. */
export interface EngineOptions {
  /** The server's wall clock, in µs since 1970. */
  readonly nowUs: () => number;
  /** SQL that creates its tables. */
  readonly schema: string;
  /** Of postgresql.conf, as far as statements ask for them. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A session, as far as its statements matter. */
export interface EngineSession {
  readonly pid: number;
  /** What `SET LOCAL` has set. */
  readonly local?: ReadonlyMap<string, string>;
  /** What is set until the session ends. */
  readonly settings?: Map<string, string>;
}

/** One statement of a message. */
export interface StatementCall {
  readonly session: EngineSession;
  readonly transaction: Transaction;
  readonly messageUs: number;
  readonly args: readonly Value[];
}

/** A change that is visible from now on. */
export interface RowChange {
  readonly table: string;
  readonly id: string;
  readonly before: RowValues | undefined;
  /** Undefined: it was deleted. */
  readonly after: RowValues | undefined;
}

const SETTINGS: Readonly<Record<string, string>> = {
  server_version_num: '150000',
  fsync: 'on',
  synchronous_standby_names: '',
};

/** The tables of a server, and what statements do to them. */
export class PostgresEngine {
  readonly #options: EngineOptions;
  readonly #catalogue = new Catalogue();
  readonly advisoryLocks: AdvisoryLocks = new AdvisoryLocks();
  isStandby = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    const session = { pid: 0 };
    const transaction = new Transaction(options.nowUs());
    for (const statement of parse(options.schema)) {
      if (statement.type === 'begin' || statement.type === 'commit') continue;
      const call = { session, transaction, messageUs: transaction.startedUs, args: [] };
      finish(this.start(statement, call));
    }
    transaction.end(true);
  }

  /** Begins a statement. @throws SqlUnsupported for what is not simulated */
  start(statement: ReturnType<typeof parse>[number], call: StatementCall): Running {
    if (
      statement.type === 'listen' ||
      statement.type === 'isolation' ||
      statement.type === 'set local'
    )
      throw new SqlUnsupported(`the statement ${statement.type} among others`);
    const { session, transaction, messageUs, args } = call;
    const context: FunctionContext = {
      nowUs: this.#options.nowUs,
      messageUs,
      transaction,
      pid: session.pid,
      owner: args.flatMap((arg) => (isOwner(arg) ? arg : []))[0],
      isStandby: this.isStandby,
      advisoryLocks: this.advisoryLocks,
      setting: (name) =>
        session.local?.get(name) ?? session.settings?.get(name) ?? this.setting(name),
      set: (name, value) => void session.settings?.set(name, value),
    };
    return new Executor({
      catalogue: this.#catalogue,
      transaction,
      args,
      call: (name, values) => callFunction(name, values, context),
    }).run(statement);
  }

  setting(name: string): string | undefined {
    return this.#options.settings?.[name] ?? SETTINGS[name];
  }

  /** Runs one transaction that waits for nothing; for tests. */
  execute({ statement, args }: BoundStatement): readonly Row[] {
    const transaction = new Transaction(this.#options.nowUs());
    const call = { session: { pid: 0 }, transaction, messageUs: transaction.startedUs, args };
    try {
      const rows = parse(statement.sql).flatMap((each) => finish(this.start(each, call)));
      transaction.end(true);
      return rows.map(rowOf);
    } finally {
      transaction.end(false);
    }
  }

  /** Applies changes that another server, or this one before it restarted, has committed. */
  apply(changes: readonly LoggedChange[]): readonly RowChange[] {
    return changes.map(({ table: name, id, values }) => {
      const table = this.#catalogue.tables.get(name);
      if (table === undefined) throw new Error(`the log changes ${name}, which does not exist`);
      const stored = table.rows.get(id) ?? new StoredRow(table, id);
      const before = stored.committed;
      stored.committed = values;
      if (values === undefined) table.rows.delete(id);
      else table.rows.set(id, stored);
      return { table: name, id, before, after: values };
    });
  }

  /** What a transaction is about to make visible. */
  changesOf(transaction: Transaction): readonly RowChange[] {
    return transaction.changes.map(({ table, id, values }) => ({
      table,
      id,
      before: this.#catalogue.tables.get(table)?.rows.get(id)?.committed,
      after: values,
    }));
  }

  /** The committed row with this primary key; for tests. */
  row(table: string, ...key: readonly string[]): RowValues | undefined {
    return this.#catalogue.tables.get(table)?.rows.get(key.join('\n'))?.committed;
  }

  /** All that is committed. */
  contents(): readonly (LoggedChange & { readonly values: RowValues })[] {
    return [...this.#catalogue.tables.values()].flatMap(({ shape, rows }) =>
      Array.from(rows.values()).flatMap(({ id, committed: values }) =>
        values === undefined ? [] : [{ table: shape.name, id, values }],
      ),
    );
  }
}

function isOwner(arg: Value): arg is string {
  return typeof arg === 'string' && parseOwner(arg) !== undefined;
}

/** Runs a statement that waits for nothing. */
function finish(running: Running): readonly RowValues[] {
  const { done, value } = running.next();
  if (done === true) return value;
  throw new SqlUnsupported('a wait for a row lock outside a server');
}

/** A row as the port has it: text, or NULL. @throws SqlUnsupported for another type, which no client gets */
export function rowOf(values: RowValues): Row {
  const row: Record<string, string | null> = {};
  for (const [column, value] of Object.entries(values)) {
    if (value !== null && typeof value !== 'string')
      throw new SqlUnsupported(`the column ${column}, which is no text`);
    row[column] = value;
  }
  return row;
}
