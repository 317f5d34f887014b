import { ConfigError } from '@holdfast/core';
import { NAME } from '../identity.ts';
import type { MakePostgresJs, PgClient } from './clients.ts';

/** The client library for a URL, by the name under which it is installed. */
export type PostgresLibrary = 'pg' | 'postgres';

/** The used exports of the modules. */
export type Loaded =
  | { readonly library: 'pg'; readonly Client: new (options: object) => PgClient }
  | { readonly library: 'postgres'; readonly make: MakePostgresJs };

const LIBRARIES: readonly PostgresLibrary[] = ['pg', 'postgres'];

/**
 * Imports the given library, or the installed one, `pg` first; both are optional.
 * @throws ConfigError naming what to install
 */
export async function loadLibrary(library?: PostgresLibrary): Promise<Loaded> {
  for (const each of library === undefined ? LIBRARIES : [library]) {
    const loaded = each === 'pg' ? await loadPg() : await loadPostgresJs();
    if (loaded !== undefined) return loaded;
  }
  const missing =
    library === undefined
      ? 'PostgreSQL needs a client library, and none is installed: npm i pg'
      : `the client library ${library} is not installed: npm i ${library}`;
  throw new ConfigError(missing, { backend: NAME });
}

/** Handles the failure right here: bundlers refuse an optional package otherwise. */
async function loadPg(): Promise<Loaded | undefined> {
  try {
    const { default: pg } = await import('pg');
    return { library: 'pg', Client: pg.Client };
  } catch (error) {
    return unlessBroken(error);
  }
}

async function loadPostgresJs(): Promise<Loaded | undefined> {
  try {
    const { default: make } = await import('postgres');
    return {
      library: 'postgres',
      make: (target, options) =>
        typeof target === 'string' ? make(target, options) : make(target),
    };
  } catch (error) {
    return unlessBroken(error);
  }
}

/** Undefined if the package is not installed; any other failure is a failure. */
function unlessBroken(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return undefined;
  throw error;
}
