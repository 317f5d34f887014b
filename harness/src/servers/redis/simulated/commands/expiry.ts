import type { CommandContext, Commands } from '../command.ts';
import { integer } from '../numbers.ts';
import { type InnerReply, RedisError } from '../reply.ts';

const SECONDS: ExpiryUnit = { seconds: true, absolute: false };
const MILLISECONDS: ExpiryUnit = { seconds: false, absolute: false };

export const EXPIRY_COMMANDS: Commands = {
  expire: [-3, 'write', (args, server) => expire(args, SECONDS, server)],
  pexpire: [-3, 'write', (args, server) => expire(args, MILLISECONDS, server)],
  expireat: [-3, 'write', (args, server) => expire(args, { ...SECONDS, absolute: true }, server)],
  pexpireat: [
    -3,
    'write',
    (args, server) => expire(args, { ...MILLISECONDS, absolute: true }, server),
  ],
  ttl: [2, 'read', (args, server) => seconds(remaining(args, server))],
  pttl: [2, 'read', remaining],
  expiretime: [2, 'read', (args, server) => seconds(expiryTime(args, server))],
  pexpiretime: [2, 'read', expiryTime],
  persist: [2, 'write', persist],
};

/** @see https://redis.io/docs/latest/commands/expire/ */
function expire(args: readonly string[], unit: ExpiryUnit, { keys }: CommandContext): InnerReply {
  const [name = '', key = '', text] = args;
  const flags = conditions(args.slice(3));
  const atMs = expiryMs(integer(text), unit, keys.nowMs, name);
  const entry = keys.find(key);
  if (entry === undefined || !isMet(flags, atMs, entry.expiresAtMs)) return 0;
  if (atMs <= keys.nowMs && keys.access === 'master') {
    keys.delete(key);
    keys.wrote(['DEL', key]);
  } else {
    entry.expiresAtMs = atMs;
    keys.wrote(['PEXPIREAT', key, `${atMs}`]);
  }
  return 1;
}

const CONDITIONS: ReadonlySet<string> = new Set(['NX', 'XX', 'GT', 'LT']);

const UNCONDITIONALLY: ReadonlySet<string> = new Set();

function conditions(words: readonly string[]): ReadonlySet<string> {
  if (words.length === 0) return UNCONDITIONALLY;
  const flags = new Set<string>();
  for (const word of words) {
    const flag = word.toUpperCase();
    if (!CONDITIONS.has(flag)) throw new RedisError(`ERR Unsupported option ${word}`);
    flags.add(flag);
  }
  if (flags.has('NX') && flags.size > 1)
    throw new RedisError('ERR NX and XX, GT or LT options at the same time are not compatible');
  if (flags.has('GT') && flags.has('LT'))
    throw new RedisError('ERR GT and LT options at the same time are not compatible');
  return flags;
}

/** A key without expiry counts as one that never expires. */
function isMet(flags: ReadonlySet<string>, atMs: number, currentMs: number | undefined): boolean {
  if (flags.size === 0) return true;
  if (flags.has('NX') && currentMs !== undefined) return false;
  if (flags.has('XX') && currentMs === undefined) return false;
  const endMs = currentMs ?? Infinity;
  if (flags.has('GT') && atMs <= endMs) return false;
  return !flags.has('LT') || atMs < endMs;
}

/** In ms; -1 without expiry, -2 without key. */
function expiryTime([, key = '']: readonly string[], { keys }: CommandContext): number {
  const entry = keys.find(key);
  return entry === undefined ? -2 : (entry.expiresAtMs ?? -1);
}

function remaining(args: readonly string[], server: CommandContext): number {
  const atMs = expiryTime(args, server);
  return atMs < 0 ? atMs : Math.max(0, atMs - server.keys.nowMs);
}

function seconds(ms: number): number {
  return ms < 0 ? ms : Math.floor((ms + 500) / 1000);
}

function persist([, key = '']: readonly string[], { keys }: CommandContext): InnerReply {
  const entry = keys.find(key);
  if (entry?.expiresAtMs === undefined) return 0;
  entry.expiresAtMs = undefined;
  keys.wrote(['PERSIST', key]);
  return 1;
}

/** The unit of an expiry: seconds or milliseconds, from now or since the epoch. */
interface ExpiryUnit {
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

/** The expiry of SET and similar commands, which must be positive. */
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

/** @throws RedisError if the time does not fit into 64 bits */
function expiryMs(given: number, unit: ExpiryUnit, nowMs: number, command: string): number {
  const ms = unit.seconds ? given * 1000 : given;
  const atMs = unit.absolute ? ms : nowMs + ms;
  if (Math.abs(ms) >= MAX_MS || atMs >= MAX_MS) throw invalidExpiry(command);
  return atMs;
}

function invalidExpiry(command: string): RedisError {
  return new RedisError(`ERR invalid expire time in '${command.toLowerCase()}' command`);
}
