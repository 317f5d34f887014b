import { execFileSync } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs of one PostgreSQL release on this machine. */
export interface PostgresInstall {
  /** The folder of `postgres`, `initdb` and the rest. */
  readonly bin: string;
  /** For reports, for example `15.18`. */
  readonly version: string;
}

/** Installation advice for error messages. */
export const POSTGRES_HINT: string =
  process.platform === 'darwin'
    ? 'install it with `brew install postgresql`, or set POSTGRES_BIN to the folder of its programs'
    : 'install it with `sudo apt-get install postgresql`, or set POSTGRES_BIN to the folder of its programs';

/** Debian keeps each release in a folder of its own, off PATH. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** Returns PostgreSQL from `POSTGRES_BIN`, else the newest that Debian installed, else from PATH; undefined without it. */
export function findPostgres(env: NodeJS.ProcessEnv = process.env): PostgresInstall | undefined {
  const named = env['POSTGRES_BIN'];
  const folders = named === undefined ? [...debianFolders(), ...pathOf(env)] : [named];
  const bin = folders.find((folder) =>
    ['postgres', 'initdb'].every((name) => isExecutable(join(folder, name))),
  );
  const version = bin === undefined ? undefined : versionIn(bin);
  return bin === undefined || version === undefined ? undefined : { bin, version };
}

/** Returns the path of pgbouncer, from `PGBOUNCER` or PATH; undefined if it is not installed. */
export function findPgBouncer(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['PGBOUNCER'];
  // Debian has it among the programs of administrators, which are not on the PATH of all users.
  const folders = [...pathOf(env), '/usr/sbin'];
  const candidates =
    named === undefined ? folders.map((folder) => join(folder, 'pgbouncer')) : [named];
  return candidates.find(isExecutable);
}

function debianFolders(): readonly string[] {
  try {
    const releases = readdirSync(DEBIAN_FOLDER).filter((name) => /^\d+$/.test(name));
    const newestFirst = releases.toSorted((a, b) => Number(b) - Number(a));
    return newestFirst.map((release) => join(DEBIAN_FOLDER, release, 'bin'));
  } catch {
    return [];
  }
}

function pathOf(env: NodeJS.ProcessEnv): readonly string[] {
  return (env['PATH'] ?? '').split(delimiter);
}

function versionIn(bin: string): string | undefined {
  const text = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  return /\(PostgreSQL\) (\S+)/.exec(text)?.[1];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
