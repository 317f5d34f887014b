export { SimUnsupportedError } from '../../unsupported.ts';

/** An error as the server words it, for example `WRONGTYPE Operation against a key holding the wrong kind of value`. */
export interface ErrorReply {
  readonly error: string;
}

/** A reply of the engine, in the shape of RESP2. Errors are values, also inside arrays. */
export type EngineReply = string | number | null | ErrorReply | readonly EngineReply[];

/** A status, such as OK. Scripts see it as a table, clients as a string. */
export interface StatusReply {
  readonly status: string;
}

/** A reply of commands and scripts, in bytes. */
export type InnerReply = string | number | null | ErrorReply | StatusReply | readonly InnerReply[];

export const OK: StatusReply = { status: 'OK' };

/** Thrown by a command that refuses; the engine replies with its text. */
export class RedisError extends Error {
  override readonly name = 'RedisError';
}

export const SYNTAX = 'ERR syntax error';
export const NOT_AN_INTEGER = 'ERR value is not an integer or out of range';
export const NOT_A_FLOAT = 'ERR value is not a valid float';
export const WRONG_TYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value';
export const NO_SUCH_KEY = 'ERR no such key';
export const READ_ONLY = "READONLY You can't write against a read only replica.";
