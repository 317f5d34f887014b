/** An error as the server words it, for example `WRONGTYPE Operation against a key holding the wrong kind of value`. */
export interface ErrorReply {
  readonly error: string;
}

/** What the engine answers: a reply as RESP2 shapes it, where errors are values and may stand inside arrays. */
export type EngineReply = string | number | null | ErrorReply | readonly EngineReply[];

/** A status, such as OK. Scripts see it as a table; to everybody else it is a string. */
export interface StatusReply {
  readonly status: string;
}

/** A reply as commands and scripts make it, in bytes. */
export type InnerReply = string | number | null | ErrorReply | StatusReply | readonly InnerReply[];

export const OK: StatusReply = { status: 'OK' };

/** Thrown by a command that refuses; the engine answers with its text. */
export class RedisError extends Error {
  override readonly name = 'RedisError';
}

export const SYNTAX = 'ERR syntax error';
export const NOT_AN_INTEGER = 'ERR value is not an integer or out of range';
export const NOT_A_FLOAT = 'ERR value is not a valid float';
export const WRONG_TYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value';
export const NO_SUCH_KEY = 'ERR no such key';
export const READ_ONLY = "READONLY You can't write against a read only replica.";

/** Part of Redis that the simulator leaves out. Loud, because a guess would be taken for the server's answer. */
export class SimUnsupportedError extends Error {
  override readonly name = 'SimUnsupportedError';

  constructor(what: string) {
    super(`the simulated Redis has no ${what}`);
  }
}
