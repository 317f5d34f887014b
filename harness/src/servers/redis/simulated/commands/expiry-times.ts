import { integer } from '../numbers.ts';
import { RedisError } from '../reply.ts';

/** How an expiry is given: in seconds or milliseconds, from now or since the epoch. */
export interface ExpiryUnit {
  readonly seconds: boolean;
  readonly absolute: boolean;
}

export const EXPIRY_OPTIONS: Readonly<Record<string, ExpiryUnit>> = {
  EX: { seconds: true, absolute: false },
  PX: { seconds: false, absolute: false },
  EXAT: { seconds: true, absolute: true },
  PXAT: { seconds: false, absolute: true },
};

/** The largest time that 64 bits hold. */
const MAX_MS = 2 ** 63;

/** As SET and its kin take it: it must lie after zero. */
export function positiveExpiryMs(
  text: string,
  unit: ExpiryUnit,
  nowMs: number,
  command: string,
): number {
  const given = integer(text);
  if (given <= 0) throw invalidExpiry(command);
  return expiryMs(given, unit, nowMs, command);
}

/** @throws RedisError when the time does not fit into 64 bits */
export function expiryMs(given: number, unit: ExpiryUnit, nowMs: number, command: string): number {
  const ms = unit.seconds ? given * 1000 : given;
  const atMs = unit.absolute ? ms : nowMs + ms;
  if (Math.abs(ms) >= MAX_MS || atMs >= MAX_MS) throw invalidExpiry(command);
  return atMs;
}

function invalidExpiry(command: string): RedisError {
  return new RedisError(`ERR invalid expire time in '${command.toLowerCase()}' command`);
}
