import { redactText } from '@holdfast/core/backend';
import { DatabaseReplyError, type Row } from '../port.ts';

/** The class of warnings, and what a commit that waits for standbys gets when the server shuts down. */
const WARNING_CODE = /^(?:01...|57P01)$/;

/**
 * Returns a new error without secrets: the libraries attach statements, arguments and options to theirs. A reply of the
 * server has a severity and an SQLSTATE; an error of the network has a code, too, that is none.
 */
export function clientError(error: unknown): Error {
  const text = redactText(describe(error));
  const code = textOf(error, 'code');
  if (code !== undefined && textOf(error, 'severity') !== undefined)
    return new DatabaseReplyError(code, text);
  return Object.assign(new Error(text), code === undefined ? {} : { code });
}

/** Connecting to several addresses of one name fails with an AggregateError, whose own message is empty. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(describe).join('; ');
  return error.message === '' ? error.name : error.message;
}

/**
 * Returns the text of a notice, if it is a warning, or the announcement of a shutdown. By its SQLSTATE: what `pg` has of
 * the severity is in the language of the server.
 */
export function warningOf(notice: unknown): string | undefined {
  const code = textOf(notice, 'code') ?? '';
  const isWarning = textOf(notice, 'severity') === 'WARNING' || WARNING_CODE.test(code);
  return isWarning ? redactText(textOf(notice, 'message') ?? code) : undefined;
}

/** A row as the port has it. Other columns than text are not ours. */
export function rowOf(row: unknown): Row {
  if (typeof row !== 'object' || row === null) return {};
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}

function textOf(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const member: unknown = Reflect.get(value, name);
  return typeof member === 'string' ? member : undefined;
}
