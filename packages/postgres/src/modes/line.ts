import { MARKERS } from '@holdfast/core/backend';
import type { Tables } from '../schema.ts';
import { CHANNEL, CLOCK, contenderOf, KEY } from '../statements.ts';

export const READERS: string = `'${MARKERS.shared}'`;
export const PERMITS: string = `'${MARKERS.permits}'`;
/** Between the texts in `$3`: none has a control character. */
export const SEPARATOR = '\t';

/** True if a list of texts with separators between has `text`. */
export function hasText(list: string | null | undefined, text: string): boolean {
  return `${SEPARATOR}${list ?? ''}${SEPARATOR}`.includes(`${SEPARATOR}${text}${SEPARATOR}`);
}

/** The owner values of a call, numbered. */
export const REQUESTS: string = numbered('$3');

/** The contenders of a call. */
const ASKING = `(SELECT ${contenderOf('request.owner')} AS contender FROM ${REQUESTS})`;

/** True for one of the texts in an argument. */
export function isRequested(text: string, argument = '$3'): string {
  return isOneOf(text, `(SELECT request.owner FROM ${numbered(argument)})`);
}

function numbered(argument: string): string {
  return `unnest(string_to_array(${argument}, '${SEPARATOR}')) WITH ORDINALITY AS request (owner, n)`;
}

/** True for one of the texts of a query. */
export function isOneOf(text: string, query: string): string {
  // Looked up in a hash of them; without `IS TRUE` the server compares each row with all.
  return `(${text} IN ${query}) IS TRUE`;
}

/** The texts that the statements are made of. Each of them sees what those before it have changed. */
export interface Parts {
  /**
   * Creates the row of the lock if there is none, and locks it, so that all statements about its members take turns. Changes no
   * column of a unique index, so it does not wait for `within`.
   */
  readonly create: string;
  /** Locks that row, if there is one. */
  readonly begin: string;
  /** Drops what is over, by the clock of the server; afterwards every hold counts. */
  readonly prune: string;
  /** The same, and drops holds by the owner values in an argument. Rows: `released`, the owner value of one that counted. */
  readonly drop: (owners: string) => string;
  /** Makes the row of the lock say what its members say: until when they hold, or that nobody does. */
  readonly settle: string;
  /** False if the holders beside those that ask leave nothing, so that the line need not be read. */
  readonly isLeftByOthers: string;
  /** Selects the contenders that may hold beside all in front of them; only the first so many of the line, if a number is given. */
  readonly fitting: (first?: string) => string;
  /** Wakes those whose turn it is; if nobody is in line, those who have no place in it. */
  readonly wake: (payload: string, prefix: string) => string;
}

export function partsOf({ locks, members }: Tables): Parts {
  const over = 'OVER (ORDER BY owner IS NULL, place)';
  // No more holders of permits fit than there are permits, so a long line of nobody else ('p' < 's' < 'x') is not read to its end.
  const permits = `(SELECT CASE WHEN max(mode) = 'p' THEN max(out_of) END FROM ${members} WHERE ${KEY})`;
  const lineOf = (first: string): string => `(
  SELECT contender, owner, min(mode) ${over} = max(mode) ${over} AND sum(permits) ${over} <= min(out_of) ${over} AS fits
  FROM (SELECT contender, owner, mode, permits, out_of, place FROM ${members} WHERE ${KEY} ORDER BY owner IS NULL, place
    LIMIT ${first}) AS front
) AS line`;
  const isLeftBy = (holders: string): string =>
    `(SELECT coalesce(sum(permits) < min(out_of), true) FROM ${members} WHERE ${KEY} AND ${holders})`;
  const isOver = `(expires_at <= ${CLOCK}
  OR (owner IS NOT NULL AND NOT EXISTS (SELECT FROM ${locks} AS stored WHERE ${KEY} AND ${isMarker('stored')})))`;
  return {
    create: `
INSERT INTO ${locks} AS stored (namespace, key, owner, expires_at, token) VALUES ($1, $2, NULL, ${CLOCK}, 0)
ON CONFLICT (namespace, key) DO UPDATE SET expires_at = stored.expires_at WHERE false;`,
    begin: `
SELECT FROM ${locks} WHERE ${KEY} FOR NO KEY UPDATE;`,
    prune: `
DELETE FROM ${members} WHERE ${KEY} AND ${isOver};`,
    drop: (owners) => `
DELETE FROM ${members} WHERE ${KEY} AND (${isOver} OR ${isRequested('owner', owners)})
RETURNING CASE WHEN NOT ${isOver} THEN owner END AS released;`,
    settle: `
UPDATE ${locks} AS stored
SET owner = CASE WHEN EXISTS (SELECT FROM ${members} AS hold WHERE ${KEY} AND hold.owner IS NOT NULL) THEN stored.owner END,
  expires_at = coalesce((SELECT max(hold.expires_at) FROM ${members} AS hold WHERE ${KEY} AND hold.owner IS NOT NULL), stored.expires_at)
WHERE ${KEY} AND ${isMarker('stored')}
  AND NOT EXISTS (SELECT FROM ${members} AS last WHERE ${KEY} AND last.owner IS NOT NULL AND last.expires_at = stored.expires_at);`,
    isLeftByOthers: isLeftBy(`owner IS NOT NULL AND NOT ${isOneOf('contender', ASKING)}`),
    fitting: (first = permits) => `(SELECT line.contender FROM ${lineOf(first)} WHERE line.fits)`,
    wake: (payload, prefix) => `
SELECT pg_notify('${CHANNEL}', ${prefix} || line.contender)::text AS notified FROM ${lineOf(permits)}
WHERE line.owner IS NULL AND line.fits AND ${isLeftBy('owner IS NOT NULL')}
  AND EXISTS (SELECT FROM ${locks} AS stored WHERE ${KEY} AND (stored.owner IS NULL OR ${isMarker('stored')}));
SELECT pg_notify('${CHANNEL}', ${payload})::text AS notified
WHERE EXISTS (SELECT FROM ${locks} WHERE ${KEY} AND owner IS NULL) AND NOT EXISTS (SELECT FROM ${members} WHERE ${KEY})`,
  };
}

export function isMarker(row: string): string {
  return `(${row}.owner = ${READERS} OR ${row}.owner = ${PERMITS})`;
}
