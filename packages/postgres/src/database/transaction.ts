import type { Argument, Statement } from '../port.ts';

/** Shares of the time that is left: a wait for a lock ends before its statement, and a statement before the call. */
const LOCK_SHARE = 1 / 2;
const STATEMENT_SHARE = 3 / 4;
/** Others keep a row locked for a moment, or for as long as their own transaction: then the connection is not to wait for it. */
const LOCK_MS_MAX = 200;
/**
 * Fails with "division by zero" in a transaction that was open before. A caller may have given such a connection back to its
 * pool: there nothing would be committed. Only in a new transaction both times are one.
 */
const IN_NEW_TRANSACTION =
  'SELECT WHERE 1 / CASE WHEN transaction_timestamp() = statement_timestamp() THEN 1 ELSE 0 END = 0';
const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Returns a statement with its limits, as one message. The server runs it as one transaction, and replies only once that is
 * committed: so one round trip does, also behind a pooler. The isolation level and the kind of commit may be other ones by
 * default for a role or a database. A wait for standbys ends by no limit.
 */
export function transactionText(
  statement: Statement,
  args: readonly Argument[],
  leftMs: number,
): string {
  const limit = (share: number): number => Math.max(1, Math.floor(leftMs * share));
  const lockMs = Math.min(LOCK_MS_MAX, limit(LOCK_SHARE));
  return [
    'SET TRANSACTION ISOLATION LEVEL READ COMMITTED',
    'SET LOCAL synchronous_commit = on',
    `SET LOCAL lock_timeout = ${lockMs}`,
    `SET LOCAL statement_timeout = ${limit(STATEMENT_SHARE)}`,
    IN_NEW_TRANSACTION,
    bound(statement.sql, args),
  ].join(';\n');
}

/** Replaces `$1`, `$2`, … by literals. */
function bound(sql: string, args: readonly Argument[]): string {
  return sql.replaceAll(/\$(\d+)/g, (_, digits: string) => {
    const arg = args[Number(digits) - 1];
    if (arg === undefined) throw new TypeError(`argument $${digits} is missing`);
    return literal(arg);
  });
}

/** Neither a quote nor a backslash, and the same bytes in every encoding. */
const PLAIN = /^[\w :./@\t-]*$/;

/** Other text goes as hexadecimal digits, so no setting of the server and no character can end a literal early. */
function literal(arg: Argument): string {
  if (typeof arg === 'string')
    return PLAIN.test(arg)
      ? `'${arg}'::text`
      : `convert_from(decode('${hex(arg)}', 'hex'), 'UTF8')`;
  if (!Number.isFinite(arg)) throw new TypeError('an argument is not a finite number');
  return `${arg}`;
}

function hex(text: string): string {
  let digits = '';
  for (const byte of encoder.encode(text)) digits += HEX[byte];
  return digits;
}
