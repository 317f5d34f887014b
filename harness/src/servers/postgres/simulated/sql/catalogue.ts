import type {
  CreateColumnDef,
  CreateIndexStatement,
  CreateTableStatement,
  QName,
} from 'pgsql-ast-parser';
import type { RowValues } from './expressions.ts';
import { Table } from './table.ts';
import { SqlUnsupported } from './unsupported.ts';
import { SqlError } from './values.ts';

/** The tables of a database, and what its own tables say about them. */
export class Catalogue {
  readonly tables: Map<string, Table> = new Map();

  /** @throws SqlError if there is no such table */
  table(name: QName): Table {
    const found = this.tables.get(fullName(name));
    if (found === undefined)
      throw new SqlError('42P01', `relation "${fullName(name)}" does not exist`);
    return found;
  }

  /** The rows of `pg_index` or `pg_attribute`, as far as they are simulated; undefined for any other table. */
  systemRows({ name }: QName): readonly RowValues[] | undefined {
    if (name === 'pg_index') return [...this.tables.values()].flatMap(indexesOf);
    if (name === 'pg_attribute') return [...this.tables.values()].flatMap(attributesOf);
    return undefined;
  }

  createTable({ name, columns, constraints = [], ifNotExists }: CreateTableStatement): void {
    const full = fullName(name);
    if (this.tables.has(full)) {
      if (ifNotExists) return;
      throw new SqlError('42P07', `relation "${full}" already exists`);
    }
    const defined = columns.flatMap((each): CreateColumnDef[] =>
      each.kind === 'column' ? [each] : [],
    );
    const [key, ...more] = constraints;
    if (key?.type !== 'primary key' || more.length > 0)
      throw new SqlUnsupported('a table without a primary key, or with other constraints');
    this.tables.set(
      full,
      new Table({
        name: full,
        columns: defined.map((column) => column.name.name),
        required: new Set(defined.filter(isRequired).map((column) => column.name.name)),
        primaryKey: key.columns.map((column) => column.name),
      }),
    );
  }

  createIndex({ table, unique, indexName, expressions, where }: CreateIndexStatement): void {
    if (where !== undefined) throw new SqlUnsupported('a partial index');
    // Changes nothing that a statement sees: the catalogue is asked for unique ones alone.
    if (!unique) return;
    const of = this.table(table);
    const columns = expressions.map(({ expression }) => {
      if (expression.type !== 'ref') throw new SqlUnsupported('an index of an expression');
      return expression.name;
    });
    // Then no two rows have the same values, so no write has to be refused.
    if (!of.shape.primaryKey.every((column) => columns.includes(column)))
      throw new SqlUnsupported('a unique index without the columns of the primary key');
    of.indexes.set(indexName?.name ?? columns.join('_'), columns);
  }
}

function fullName({ schema = 'public', name }: QName): string {
  return `${schema}.${name}`;
}

function isRequired({ constraints = [] }: CreateColumnDef): boolean {
  return constraints.some(({ type }) => type === 'not null');
}

function indexesOf({ shape: { name, columns, primaryKey }, indexes }: Table): RowValues[] {
  return [primaryKey, ...indexes.values()].map((index) => ({
    indrelid: name,
    indisunique: true,
    indisvalid: true,
    indpred: null,
    indkey: index.map((column) => columns.indexOf(column) + 1),
  }));
}

function attributesOf({ shape: { name, columns } }: Table): RowValues[] {
  return columns.map((attname, at) => ({ attrelid: name, attname, attnum: at + 1 }));
}
