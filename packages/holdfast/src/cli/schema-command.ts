import { BACKENDS } from '../backends/built-in.ts';
import type { Arguments } from './arguments.ts';
import type { CommandBody } from './command.ts';
import type { Io } from './io.ts';
import { UsageError } from './usage-error.ts';

const HELP: string = `holdfast schema BACKEND [--schema NAME]

Prints the SQL that creates the tables of a backend, and the rights that the user of the
locks needs. It may be run again. Connects to nothing:

  npx holdfast schema postgres | psql "$DATABASE_URL"

  --schema NAME   the schema of the tables; default holdfast`;

/** Backends whose store needs tables, by their records. */
const WITH_TABLES = BACKENDS.filter((each) => 'migration' in each);

export const SCHEMA: CommandBody = {
  options: { schema: 'value' },
  help: HELP,
  run: printSchema,
};

async function printSchema({ operands, values }: Arguments, io: Io): Promise<number> {
  const [name, ...more] = operands;
  const record = WITH_TABLES.find((each) => each.name === name);
  if (record?.migration === undefined || more.length > 0) {
    const names = WITH_TABLES.map((each) => each.name).join(', ');
    throw new UsageError(`name one backend that has tables: ${names}`);
  }
  io.stdout.write(await record.migration(values.get('schema')));
  return 0;
}
