import type { AdvisoryLocks } from './advisory-locks.ts';
import type { Transaction } from './transaction.ts';
import { SqlUnsupported } from './unsupported.ts';
import { SqlError, type Value } from './values.ts';

/** What functions read of the server, the session and the transaction. */
export interface FunctionContext {
  /** The server's clock, in µs since 1970. */
  readonly nowUs: () => number;
  /** The same when the message arrived. */
  readonly messageUs: number;
  readonly transaction: Transaction;
  readonly pid: number;
  /** The owner value among the arguments, for judges. */
  readonly owner: string | undefined;
  readonly isStandby: boolean;
  readonly advisoryLocks: AdvisoryLocks;
  /** Undefined for an unknown setting. */
  setting(name: string): string | undefined;
  /** Sets one for the rest of the session. */
  set(name: string, value: string): void;
}

type SqlFunction = (context: FunctionContext, args: readonly Value[]) => Value;

/** Settings that clients define, and `tcp_user_timeout`; the other `tcp_` settings have no effect here. */
const SESSION_SETTINGS = /^(?:holdfast\.\w+|application_name|tcp_\w+)$/;

/** By name. What is not here throws. */
const FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  clock_timestamp: ({ nowUs }) => nowUs(),
  // All three stay as they are while a statement waits.
  now: ({ transaction }) => transaction.startedUs,
  transaction_timestamp: ({ transaction }) => transaction.startedUs,
  statement_timestamp: ({ messageUs }) => messageUs,
  current_setting: (context, [name, isOptional]) => {
    const value = context.setting(String(name));
    if (value === undefined && isOptional === true) return null;
    if (value === undefined) throw new SqlUnsupported(`the setting ${String(name)}`);
    return value;
  },
  set_config: (context, [name, value, isLocal]) => {
    // Whether a commit waits for the disk: here a crash keeps what is committed, so that nothing depends on it.
    if (isLocal === true && name === 'synchronous_commit' && value === 'off') return value;
    if (isLocal !== false || !SESSION_SETTINGS.test(String(name)))
      throw new SqlUnsupported(`set_config of ${String(name)}`);
    context.set(String(name), String(value));
    return value ?? null;
  },
  array_to_string: (_, [array, separator]) =>
    Array.isArray(array) ? array.join(String(separator)) : null,
  string_to_array: (_, [text, separator]) => String(text).split(String(separator)),
  pg_backend_pid: ({ pid }) => pid,
  pg_current_xact_id_if_assigned: ({ transaction }) => (transaction.hasId ? 1n : null),
  pg_is_in_recovery: ({ isStandby }) => isStandby,
  pg_notify: ({ transaction }, [channel, payload]) => {
    transaction.notifications.push({ channel: String(channel), payload: String(payload) });
    return '';
  },
  // Rights are not simulated: the user of the locks owns the tables.
  has_table_privilege: () => true,
  pg_try_advisory_lock: ({ advisoryLocks, pid, owner }, [key]) =>
    advisoryLocks.tryLock(keyOf(key), pid, owner),
  pg_advisory_unlock: ({ advisoryLocks, pid }, [key]) => advisoryLocks.unlock(keyOf(key), pid),
  hashtextextended: (_, [text, seed]) => hashOf(String(text), seed ?? null),
  // A migration is not run by two clients at once here.
  hashtext: () => 0,
  pg_advisory_xact_lock: () => '',
};

/** @throws SqlUnsupported for an unknown function */
export function callFunction(
  name: string,
  args: readonly Value[],
  context: FunctionContext,
): Value {
  const found = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (found === undefined) throw new SqlUnsupported(`the function ${name}`);
  return found(context, args);
}

function keyOf(value: Value | undefined): string {
  if (typeof value === 'number' || typeof value === 'bigint') return `${value}`;
  throw new SqlError('42883', 'an advisory lock has a number as its key');
}

/** Another hash than the server's; only that equal texts have equal hashes matters. */
function hashOf(text: string, seed: Value): bigint {
  if (seed !== 0) throw new SqlUnsupported('hashtextextended with a seed');
  let hash = 0xcbf29ce484222325n;
  for (const char of text)
    hash = BigInt.asUintN(64, (hash ^ BigInt(char.codePointAt(0) ?? 0)) * 0x100000001b3n);
  return BigInt.asIntN(64, hash);
}
