import type { EngineReply } from '@holdfast/harness/simulator';

/** What Valkey 8 says in other words than Redis 7, which is simulated. No recipe reads more of these lines than their code. */
const WORDING: readonly (readonly [string, string])[] = [
  ['Unknown command called', 'Unknown Redis command called'],
  ['Wrong number of args calling command', 'Wrong number of args calling Redis command'],
  ['at least one argument for this call', 'at least one argument for this redis lib call'],
  ['ERR server.log()', 'ERR redis.log()'],
  ['ERR Command arguments must be', 'ERR Lua redis lib command arguments must be'],
];
/** Not a whole number: those have the same digits everywhere. */
const FRACTION = /^-?\d*\.\d+(?:e[+-]\d+)?$|^-0$/;

/** True for what INFO says on Redis 8 or later, or on Valkey, which counts on from 7.2. */
export function isLater(info: string): boolean {
  const [, major = '0'] = /redis_version:(\d+)\./.exec(info) ?? [];
  return info.includes('valkey_version:') || Number(major) >= 8;
}

/**
 * Returns a reply as Redis 7 words it. Later servers write the shortest digits of a number with a fraction, Redis 7 writes
 * 17: both mean one double. No recipe passes such a number to a command.
 */
export function asBefore(reply: EngineReply): EngineReply {
  if (typeof reply === 'string')
    return FRACTION.test(reply) ? String(Number(reply)) : inOldWords(reply);
  if (Array.isArray(reply)) return reply.map(asBefore);
  if (typeof reply === 'object' && reply !== null && 'error' in reply)
    return { ...reply, error: inOldWords(reply.error) };
  return reply;
}

function inOldWords(text: string): string {
  return WORDING.reduce((rest, [later, before]) => rest.replace(later, before), text);
}
