import { InvalidOptionError } from '@holdfast/core';
import { NAME } from './identity.ts';

/** Changes whenever rows change in a way that older releases would not respect. */
const FORMAT = 'v1';
/** PostgreSQL cuts longer names. */
const IDENTIFIER_BYTES_MAX = 63;
const encoder = new TextEncoder();

const SCHEMA_DEFAULT = 'holdfast';

/** The quoted names of the tables of one schema. */
export interface Tables {
  /** The name of the schema, not quoted. */
  readonly schema: string;
  readonly locks: string;
  readonly marks: string;
  /** Absent from schemas that an earlier release created; only readers, writers and semaphores need it. */
  readonly members: string;
}

/** Returns the tables of a schema. @throws InvalidOptionError for a name that PostgreSQL cannot keep */
export function tablesOf(schema: unknown = SCHEMA_DEFAULT): Tables {
  if (typeof schema !== 'string' || !isIdentifier(schema)) {
    const message = `option schema must be a name of 1 to ${IDENTIFIER_BYTES_MAX} UTF-8 bytes without control characters`;
    throw new InvalidOptionError(message, { backend: NAME });
  }
  const name = quoted(schema);
  return {
    schema,
    locks: `${name}.locks_${FORMAT}`,
    marks: `${name}.marks_${FORMAT}`,
    members: `${name}.members_${FORMAT}`,
  };
}

function isIdentifier(name: string): boolean {
  if (name === '' || /\p{Cc}|\p{Cs}/u.test(name)) return false;
  return encoder.encode(name).length <= IDENTIFIER_BYTES_MAX;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Returns the SQL that creates what the locks need; it may be run again. Run it as the owner of the database: the user of
 * the locks needs only the rights at its end.
 * @param schema default `holdfast`
 * @example
 * ```ts
 * log(migration()); // CREATE SCHEMA …, to be run as the owner of the database
 * ```
 * @throws InvalidOptionError for a name that PostgreSQL cannot keep
 */
export function migration(schema: string = SCHEMA_DEFAULT): string {
  const tables = tablesOf(schema);
  const name = quoted(schema);
  return `-- Holdfast: tables of the locks, format ${FORMAT}. May be run again.
BEGIN;
${creation(tables)}
COMMIT;
-- For the user of the locks:
-- GRANT USAGE ON SCHEMA ${name} TO app;
-- GRANT SELECT, INSERT, UPDATE ON ${tables.locks} TO app;
-- GRANT SELECT, INSERT ON ${tables.marks} TO app;
-- GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.members} TO app;
`;
}

/** The statements alone, for one transaction. */
export function creation({ schema, locks, marks, members }: Tables): string {
  return `-- Two clients that create a schema at once would get a unique violation.
SELECT pg_advisory_xact_lock(hashtext('holdfast schema'));
CREATE SCHEMA IF NOT EXISTS ${quoted(schema)};
-- Compared byte by byte: another order would break the index when the system's collations change.
CREATE TABLE IF NOT EXISTS ${locks} (
  namespace text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  owner text COLLATE "C",          -- NULL: free
  expires_at timestamptz NOT NULL,
  token bigint NOT NULL,           -- changes with every holder
  PRIMARY KEY (namespace, key)
);
-- A transaction that has checked its lease keeps the token from changing, which only a unique index makes possible.
CREATE UNIQUE INDEX IF NOT EXISTS locks_${FORMAT}_token ON ${locks} (token, namespace, key);
CREATE TABLE IF NOT EXISTS ${marks} (
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (namespace, name)
);
-- Readers, writers that wait, holders of permits. A hold counts only while the lock has the marker of its kind as its owner.
CREATE TABLE IF NOT EXISTS ${members} (
  namespace text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  contender text COLLATE "C" NOT NULL,
  attempt bigint NOT NULL,         -- the latest of this contender
  owner text COLLATE "C",          -- NULL: waits
  mode text COLLATE "C" NOT NULL,  -- s reads, x writes, p holds permits
  permits bigint NOT NULL,         -- a reader has 0 of 1, a writer 1 of 1
  out_of bigint NOT NULL,
  place bigint NOT NULL,           -- in order of arrival
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (namespace, key, contender)
);`;
}
