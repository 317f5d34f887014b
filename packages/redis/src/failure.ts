import { redactText } from '@holdfast/core/backend';
import { NodeReplyError } from './port.ts';
import { codeOf } from './replies.ts';

/** A user name and a password, from a URL or a client. */
export type Secrets = readonly string[];

/** A secret of this length is never part of a word by accident. */
const SECRET_LENGTH_MIN = 8;
const REPLY = /^-?[A-Z][A-Z0-9_]*(?: |$)/;
const REPLY_CLASSES = new Set(['ReplyError', 'ErrorReply', 'SimpleError', 'BlobError']);

/** Returns the error line if the server sent it; undefined if it is the library's own error. */
export function replyText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isReply =
    REPLY_CLASSES.has(error.name) ||
    REPLY_CLASSES.has(error.constructor.name) ||
    REPLY.test(error.message);
  return isReply ? error.message : undefined;
}

/**
 * Returns a new error without secrets. The library's error is not passed on: ioredis attaches the command to it, and the
 * command may be the log-in, with the password among its arguments.
 */
export function redactedError(error: unknown, secrets: Secrets): Error {
  const message = error instanceof Error ? describe(error) : String(error);
  const text = redactText(withoutSecrets(message, secrets));
  if (replyText(error) !== undefined) return new NodeReplyError(codeOf(text), text);
  // The code of Node tells apart why a connection failed.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return Object.assign(new Error(text), typeof code === 'string' ? { code } : {});
}

/** Connecting to several addresses of one name fails with an AggregateError, whose own message is empty. */
function describe(error: Error): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors
      .map((each) => (each instanceof Error ? each.message : String(each)))
      .join('; ');
  }
  return error.message === '' ? error.name : error.message;
}

function withoutSecrets(text: string, secrets: Secrets): string {
  return secrets.reduce(
    (rest, secret) =>
      secret === ''
        ? rest
        : rest.replaceAll(secret, (found, at: number, all: string) =>
            isPartOfWord(all, at, found) ? found : '***',
          ),
    text,
  );
}

const WITHIN_WORD = /^[\p{L}\p{N}]{2}$/u;

/** True if a short secret is inside a word: a user called `u` must not remove every u from a message. */
function isPartOfWord(text: string, at: number, secret: string): boolean {
  if (secret.length >= SECRET_LENGTH_MIN) return false;
  const end = at + secret.length;
  return [at, end].some((edge) => WITHIN_WORD.test(text.slice(edge - 1, edge + 1)));
}
