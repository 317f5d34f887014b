import type { LockErrorCode } from '@holdfast/core';

/**
 * The meaning of an error reply for its command.
 * - `not-applied`: not applied, and can be sent again at once.
 * - `unavailable`: not applied, and the node cannot serve now.
 * - `refused`: not applied, and never will be until an operator changes the configuration or the key.
 * - `unknown`: may have been applied.
 */
export type ReplyMeaning = 'not-applied' | 'unavailable' | 'refused' | 'unknown';

interface Row<Meaning extends ReplyMeaning, Code extends string> {
  /** The first word of the error line. */
  readonly code: Code;
  /** Text that the line must contain, if the code alone is ambiguous. */
  readonly text?: string;
  readonly meaning: Meaning;
  /** The state of the server that explains it, for people. */
  readonly because: string;
}

/** One row of `REPLY_TABLE`. The code of a reply that refuses for good is also the code of the lock's error. */
export type ReplyRow =
  | Row<'refused', LockErrorCode>
  | Row<Exclude<ReplyMeaning, 'refused'>, string>;

/**
 * Error replies of Redis and Valkey. A script's error is as definite as a command's only because ours check
 * everything before their first write. Rows with `text` come before the row of the bare code.
 */
export const REPLY_TABLE: readonly ReplyRow[] = [
  {
    code: 'NOSCRIPT',
    meaning: 'not-applied',
    because: 'the script is not cached; EVAL sends it along',
  },
  {
    code: 'READONLY',
    meaning: 'unavailable',
    because: 'a replica, or a demoted master; reconnecting may find the master',
  },
  { code: 'LOADING', meaning: 'unavailable', because: 'the server is loading its data' },
  { code: 'MASTERDOWN', meaning: 'unavailable', because: 'a replica without its master' },
  { code: 'BUSY', meaning: 'unavailable', because: 'another script has been running for too long' },
  {
    code: 'OOM',
    meaning: 'unavailable',
    because: 'maxmemory is reached and nothing may be evicted',
  },
  {
    code: 'MISCONF',
    meaning: 'unavailable',
    because: 'the server cannot persist and therefore refuses writes',
  },
  {
    code: 'NOREPLICAS',
    meaning: 'unavailable',
    because: 'fewer replicas than min-replicas-to-write',
  },
  { code: 'CLUSTERDOWN', meaning: 'unavailable', because: 'the cluster does not serve this slot' },
  {
    code: 'TRYAGAIN',
    meaning: 'unavailable',
    because: 'the slot is being moved and its keys are apart',
  },
  {
    code: 'ERR',
    text: 'max number of clients',
    meaning: 'unavailable',
    because: 'maxclients is reached',
  },
  {
    code: 'MOVED',
    meaning: 'refused',
    because: 'a cluster node, which a standalone client cannot follow',
  },
  {
    code: 'ASK',
    meaning: 'refused',
    because: 'a cluster node, which a standalone client cannot follow',
  },
  { code: 'CROSSSLOT', meaning: 'refused', because: 'the keys of one call lie in different slots' },
  {
    code: 'NOPERM',
    meaning: 'refused',
    because: 'the ACL does not allow this command, key or channel',
  },
  { code: 'NOAUTH', meaning: 'refused', because: 'the server wants a password' },
  { code: 'WRONGPASS', meaning: 'refused', because: 'user or password are wrong' },
  {
    code: 'DENIED',
    meaning: 'refused',
    because: 'protected mode: the server takes local connections only',
  },
  { code: 'WRONGTYPE', meaning: 'refused', because: 'the key holds something else than a lock' },
  {
    code: 'ERR',
    text: 'unknown command',
    meaning: 'refused',
    because: 'the server lacks the command, or it is renamed',
  },
];

/** Redis 6.2 wraps the error of a call inside a script; later servers pass it on. */
const IN_SCRIPT = /@user_script: ?\d+: -?([A-Z][A-Z0-9_]*) /g;
const CODE = /^-?([A-Z][A-Z0-9_]*)(?: |$)/;

/** Returns the code of an error line: its first word, or that of the error inside a script; `ERR` if there is none. */
export function codeOf(text: string): string {
  const code = CODE.exec(text)?.[1] ?? 'ERR';
  if (code !== 'ERR') return code;
  return [...text.matchAll(IN_SCRIPT)].at(-1)?.[1] ?? code;
}

/** An error line, or its {@link NodeReplyError}. */
type ErrorReply = string | { readonly message: string };

/**
 * Returns the meaning of an error reply, by `REPLY_TABLE`; `unknown` for those that are not in it.
 * @example
 * ```ts
 * classifyReply('LOADING Redis is loading the dataset in memory'); // 'unavailable'
 * ```
 */
export function classifyReply(error: ErrorReply): ReplyMeaning {
  return rowOf(error)?.meaning ?? 'unknown';
}

/** Returns the code for the error of a lock that a reply refuses for good; undefined for all other replies. */
export function refusalCode(error: ErrorReply): LockErrorCode | undefined {
  const row = rowOf(error);
  return row?.meaning === 'refused' ? row.code : undefined;
}

function rowOf(error: ErrorReply): ReplyRow | undefined {
  const text = typeof error === 'string' ? error : error.message;
  const code = codeOf(text);
  return REPLY_TABLE.find(
    (candidate) =>
      candidate.code === code && (candidate.text === undefined || text.includes(candidate.text)),
  );
}
