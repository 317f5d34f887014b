import {
  callDeadlineMs,
  type Health,
  type Inspection,
  parseOwner,
  type Release,
} from '@holdfast/core/backend';
import { foreignKeyError, isDoubt, messageOf, operatorError } from './failures.ts';
import type { Argument, Row, Statement } from './port.ts';
import { payloadOf, reportNode, type Store } from './store.ts';

/** Returns what is stored under a key. @throws BackendUnavailableError, LockError */
export async function inspect(store: Store, key: string): Promise<Inspection> {
  const [row] = await rowsOf(store, store.statements.inspect, [store.namespace, key], key);
  const owner = row?.['owner'];
  const remainingMs = Number(row?.['remaining_ms'] ?? Number.NaN);
  // An expired hold stays stored until the next client takes the key.
  if (typeof owner !== 'string' || remainingMs <= 0) return { key, held: false };
  const token = row?.['token'];
  return {
    key,
    held: true,
    owner,
    holder: parseOwner(owner)?.label,
    remainingMs: Number.isFinite(remainingMs) ? remainingMs : undefined,
    fencingToken: typeof token === 'string' ? BigInt(token) : undefined,
  };
}

/** Removes a hold of any holder. @throws BackendUnavailableError, LockError */
export async function forceRelease(store: Store, key: string): Promise<Release> {
  const { database, host, namespace, statements } = store;
  const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(undefined);
  let rows: readonly Row[];
  try {
    const args = [namespace, key, payloadOf(store, key)];
    ({ rows } = await database.run(statements.force, args, { deadlineMs }));
  } catch (cause) {
    reportNode(store, key, cause);
    if (isDoubt(cause)) return { kind: 'unknown', cause };
    throw operatorError(cause, key);
  }
  // What is stored after a release is no owner, unless it is foreign: then it was left alone.
  const owner = rows.at(-1)?.['owner'];
  if (typeof owner === 'string' && parseOwner(owner) === undefined) throw foreignKeyError(key);
  return { kind: rows[0]?.['was_held'] === 'true' ? 'released' : 'not-held' };
}

/** Lists the keys that are held. @throws BackendUnavailableError, LockError */
export async function* heldKeys(store: Store): AsyncGenerator<readonly string[]> {
  const rows = await rowsOf(store, store.statements.held, [store.namespace], '');
  yield rows.flatMap(({ key }) => (typeof key === 'string' ? [key] : []));
}

/** Healthy if the server replies to a read of the table of locks, and takes writes. Never rejects. */
export async function health(store: Pick<Store, 'database' | 'host'>): Promise<Health> {
  const { database, host } = store;
  const from = host.runtime.now();
  const deadlineMs = from.monotonicMs + callDeadlineMs(undefined);
  const node = database.address;
  try {
    const { rows } = await database.run(HEALTH, [], { deadlineMs });
    const roundTripMs = host.runtime.elapsedMs(from);
    if (rows[0]?.['is_standby'] !== 'true')
      return { ok: true, nodes: [{ node, ok: true, roundTripMs }] };
    const detail = 'is a standby, which takes no writes';
    return { ok: false, nodes: [{ node, ok: false, roundTripMs, detail }] };
  } catch (cause) {
    return { ok: false, nodes: [{ node, ok: false, detail: messageOf(cause) }] };
  }
}

const HEALTH: Statement = {
  name: 'health',
  sql: 'SELECT pg_is_in_recovery()::text AS is_standby',
};

async function rowsOf(
  store: Store,
  statement: Statement,
  args: readonly Argument[],
  key: string,
): Promise<readonly Row[]> {
  const { database, host } = store;
  const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(undefined);
  try {
    return (await database.run(statement, args, { deadlineMs })).rows;
  } catch (cause) {
    reportNode(store, key, cause);
    throw operatorError(cause, key);
  }
}
