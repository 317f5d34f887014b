import { CapabilityError, LockLostError } from '@holdfast/core';
import { checkNamespace, MARKERS, parseOwner } from '@holdfast/core/backend';
import { NAME } from './identity.ts';
import { tablesOf } from './schema.ts';

/** What is above them is the fencing epoch, which is not in the row, or a token of the row that is larger. */
const TOKEN_BITS = 53;
/** A bigint of PostgreSQL. */
const ROW_BITS = 64;

/** The parts of a lease that its row is found by. */
export interface CheckedLease {
  /** As the lease has it. */
  readonly key: string;
  /** As the lease has it. */
  readonly owner: string;
  /** As the lease has it, also with a fencing epoch. */
  readonly fencingToken?: bigint | undefined;
}

/** A transaction of yours: a client of `pg` after BEGIN, or what `begin` of `postgres` passes to its function. */
export type Transaction = PgTransaction | PostgresJsTransaction;

/** A client with the method of `pg`. */
export interface PgTransaction {
  /** Runs a statement with `$1`, `$2`, … */
  query(
    text: string,
    values: string[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/** A client with the method of `postgres`. */
export interface PostgresJsTransaction {
  /** Runs a statement with `$1`, `$2`, … */
  unsafe(text: string, values: string[]): PromiseLike<readonly Readonly<Record<string, unknown>>[]>;
}

/** Where the locks are, if not in the default place; as {@link PostgresOptions} has it. */
export interface WithinOptions {
  /** Default `holdfast`. */
  readonly schema?: string | undefined;
  /** Default `holdfast`. */
  readonly namespace?: string | undefined;
}

/**
 * Checks in your own transaction that the lease is held, and keeps it so until the transaction ends: until then nobody can
 * take the key over, and a release waits. So a holder whose lease has expired is stopped, and not only found out. Call it
 * before the writes that the lock protects, in the database that has the locks.
 *
 * Renewals pass. The time until a takeover becomes the ttl and the rest of the transaction: limit that by
 * `idle_in_transaction_session_timeout`. End the transaction before you release: a release inside would wait for it, and is
 * `unknown` until it is retried.
 * @example
 * ```ts
 * await locks.use('orders/42', async (lease) => {
 *   await client.query('BEGIN', []);
 *   await within(lease, client);
 *   await client.query("UPDATE orders SET state = 'paid' WHERE id = $1", ['42']);
 *   await client.query('COMMIT', []);
 * });
 * ```
 * @throws LockLostError: another client has taken the key, or it was released; roll back. CapabilityError: this is no
 *   transaction. Errors of the server as the client throws them, such as 40001, after which you repeat the transaction
 */
export async function within(
  lease: CheckedLease,
  tx: Transaction,
  { schema, namespace = 'holdfast' }: WithinOptions = {},
): Promise<void> {
  const { key, owner, fencingToken } = lease;
  const { locks, members } = tablesOf(schema);
  checkNamespace(namespace, NAME);
  if (fencingToken === undefined || parseOwner(owner) === undefined)
    throw new CapabilityError(
      `${NAME}: the lease is of a semaphore, whose holders share no token that the row could keep, or of another backend`,
      { key, backend: NAME },
    );
  // By the owner value alone a row could not be mistaken; the token is what the unique index keeps from changing.
  const held = await rowsOf(
    tx,
    `SELECT owner FROM ${locks} WHERE namespace = $1 AND key = $2 AND (owner = $3 OR owner = '${MARKERS.shared}') AND (token = $4::bigint OR token = $5::bigint) FOR KEY SHARE`,
    [
      namespace,
      key,
      owner,
      `${BigInt.asUintN(TOKEN_BITS, fencingToken)}`,
      `${BigInt.asIntN(ROW_BITS, fencingToken)}`,
    ],
  );
  if (held.length === 0) throw lost(key);
  if (held[0]?.['owner'] === MARKERS.shared) await checkReader(tx, members, lease, namespace);
  // A lock of a row belongs to a transaction with an id. Without BEGIN it has ended with its statement.
  const [open] = await rowsOf(tx, 'SELECT pg_current_xact_id_if_assigned()::text AS id', []);
  if (typeof open?.['id'] !== 'string') throw noTransaction(key);
}

/** Of readers, the row has the token that they share. It keeps writers out until the transaction ends; others may read. */
async function checkReader(
  tx: Transaction,
  members: string,
  { key, owner }: CheckedLease,
  namespace: string,
): Promise<void> {
  const held = await rowsOf(
    tx,
    `SELECT owner FROM ${members} WHERE namespace = $1 AND key = $2 AND owner = $3`,
    [namespace, key, owner],
  );
  if (held.length === 0) throw lost(key);
}

async function rowsOf(
  tx: Transaction,
  text: string,
  values: string[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return 'unsafe' in tx ? await tx.unsafe(text, values) : (await tx.query(text, values)).rows;
}

function lost(key: string): LockLostError {
  const message = `${NAME}: key ${JSON.stringify(key)} is not held any more: another client has taken it, or it was released; roll the transaction back`;
  return new LockLostError(message, { key, backend: NAME });
}

function noTransaction(key: string): CapabilityError {
  const message = `${NAME}: within() needs an open transaction: pass the client that has sent BEGIN, not a pool`;
  return new CapabilityError(message, { key, backend: NAME });
}
