/** SQLSTATEs, error codes and numbers after which the same transaction can succeed when it is repeated whole. */
const RETRYABLE: ReadonlySet<unknown> = new Set<unknown>([
  // PostgreSQL: serialization failure, deadlock.
  '40001',
  '40P01',
  // MySQL and MariaDB: deadlock, lock wait timeout, record has changed since the snapshot.
  1213,
  1205,
  1020,
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CHECKREAD',
  // SQLite, as its clients name it.
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  // Prisma: write conflict or deadlock.
  'P2034',
]);
/** SQLite's own number, in `errcode` of Node's client: the low byte is the primary code. */
const SQLITE_BUSY = 5;
/**
 * Codes after which a commit may have been made: of connections, of a shutdown, "statement completion unknown", MySQL's
 * general error, and Prisma's own, which are no SQLSTATEs.
 */
const UNCERTAIN = /^(?:08...|57P0[1-5]|40003|70100|HY000|P[12]...)$/;
/** With a digit, which `EPIPE` of a socket has not. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
const CAUSES_MAX = 8;
/** Errors below an error, by client: `meta` and `driverAdapterError` are Prisma's. */
const BELOW = ['cause', 'driverAdapterError', 'meta'];
/** `originalCode` is the SQLSTATE below an adapter of Prisma. */
const CODES = ['code', 'originalCode', 'errno', 'sqlState'];

/** True if the whole transaction may be repeated after this error. */
export function isRetryable(error: unknown): boolean {
  return causesOf(error).some(
    (each) =>
      CODES.some((field) => RETRYABLE.has(Reflect.get(each, field))) ||
      isBusy(Reflect.get(each, 'errcode')),
  );
}

/** True if the server replied: then a commit that failed has not been made. */
export function isReply(error: unknown): boolean {
  return causesOf(error).some((each) => {
    const state: unknown = ['sqlState', 'originalCode', 'code']
      .map((field) => Reflect.get(each, field))
      .find(isGiven);
    const isDefinite = typeof state === 'string' && SQLSTATE.test(state) && !UNCERTAIN.test(state);
    return isDefinite || isSqlite(each);
  });
}

/** SQLite has no wire: an error of it is always a reply, except of the disk below it. */
function isSqlite(error: object): boolean {
  const code: unknown = Reflect.get(error, 'code');
  if (typeof Reflect.get(error, 'errcode') === 'number') return true;
  return typeof code === 'string' && /^SQLITE_(?!IOERR)/.test(code);
}

function isBusy(errcode: unknown): boolean {
  return typeof errcode === 'number' && errcode % 256 === SQLITE_BUSY;
}

/** The error, and those below it: query builders wrap what their client throws. */
function causesOf(error: unknown): readonly object[] {
  const causes: object[] = [];
  let next = error;
  while (typeof next === 'object' && next !== null && causes.length < CAUSES_MAX) {
    const current = next;
    causes.push(current);
    next = BELOW.map((field) => Reflect.get(current, field)).find(isGiven);
  }
  return causes;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
