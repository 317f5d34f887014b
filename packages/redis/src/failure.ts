import { redactText } from '@holdfast/core';
import { NodeReplyError } from './port.ts';
import { codeOf } from './replies.ts';

/** A user name and a password, wherever they came from. */
export type Secrets = readonly string[];

/** Nothing of that length is part of a word by accident. */
const SECRET_LENGTH_MIN = 8;
const REPLY = /^-?[A-Z][A-Z0-9_]*(?: |$)/;
const REPLY_CLASSES = new Set(['ReplyError', 'ErrorReply', 'SimpleError', 'BlobError']);

/** The error line, when the server said it; undefined when it is the library's own error. */
export function replyText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isReply =
    REPLY_CLASSES.has(error.name) ||
    REPLY_CLASSES.has(error.constructor.name) ||
    REPLY.test(error.message);
  return isReply ? error.message : undefined;
}

/**
 * What went wrong, as an error of our own. The library's error is not passed on: ioredis hangs the command on it,
 * and the command may be the log-in, with the password among its arguments.
 */
export function redactedError(error: unknown, secrets: Secrets): Error {
  const message = error instanceof Error ? describe(error) : String(error);
  const text = redactText(withoutSecrets(message, secrets));
  return replyText(error) === undefined ? new Error(text) : new NodeReplyError(codeOf(text), text);
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

/** A user called `u` is no reason to garble every word with a u in it. */
function isPartOfWord(text: string, at: number, secret: string): boolean {
  if (secret.length >= SECRET_LENGTH_MIN) return false;
  const end = at + secret.length;
  return [at, end].some((edge) => WITHIN_WORD.test(text.slice(edge - 1, edge + 1)));
}
