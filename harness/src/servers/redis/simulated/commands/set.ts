import type { CommandContext, Commands } from '../command.ts';
import { type InnerReply, OK, RedisError, SYNTAX } from '../reply.ts';
import { EXPIRY_OPTIONS, positiveExpiryMs } from './expiry.ts';

interface SetOptions {
  only?: 'NX' | 'XX';
  get?: boolean;
  keepTtl?: boolean;
  expiry?: { readonly option: string; readonly text: string };
}

/** SET with all its options, and the older commands with equivalents in SET. */
export const SET_COMMANDS: Commands = {
  set: [-3, 'write', set],
  setnx: [3, 'write', ([, key = '', value = ''], server) => setnx(key, value, server)],
  setex: [4, 'write', (args, server) => setWithExpiry('EX', args, server)],
  psetex: [4, 'write', (args, server) => setWithExpiry('PX', args, server)],
  getset: [3, 'write', ([, key = '', value = ''], server) => getset(key, value, server)],
  mset: [-3, 'write', mset],
};

function set(args: readonly string[], server: CommandContext): InnerReply {
  const [, key = '', value = ''] = args;
  const options = args.length === 3 ? NO_OPTIONS : parse(args);
  const { keys } = server;
  const { expiry } = options;
  const expiresAtMs = expiry && expiresAt(expiry, keys.nowMs);
  const old = options.get === true ? (keys.string(key) ?? null) : null;
  const refused = options.only !== undefined && (options.only === 'NX') === keys.has(key);
  if (refused) return old;
  put(key, value, expiresAtMs, options.keepTtl === true, server);
  return options.get === true ? old : OK;
}

const NO_OPTIONS: SetOptions = {};

function parse(args: readonly string[]): SetOptions {
  const options: SetOptions = {};
  for (let at = 3; at < args.length; at++) {
    const option = (args[at] ?? '').toUpperCase();
    if ((option === 'NX' || option === 'XX') && (options.only ?? option) === option)
      options.only = option;
    else if (option === 'GET') options.get = true;
    else if (option === 'KEEPTTL' && options.expiry === undefined) options.keepTtl = true;
    else if (takesExpiry(options, option)) options.expiry = { option, text: next(args, ++at) };
    else throw new RedisError(SYNTAX);
  }
  return options;
}

/** Different expiry options exclude each other; a repeated option is accepted, and the last value counts. */
function takesExpiry(options: SetOptions, option: string): boolean {
  const free = options.keepTtl !== true && (options.expiry?.option ?? option) === option;
  return free && Object.hasOwn(EXPIRY_OPTIONS, option);
}

function next(args: readonly string[], at: number): string {
  const text = args[at];
  if (text === undefined) throw new RedisError(SYNTAX);
  return text;
}

function expiresAt(expiry: { option: string; text: string }, nowMs: number): number | undefined {
  const unit = EXPIRY_OPTIONS[expiry.option];
  return unit && positiveExpiryMs(expiry.text, unit, nowMs, 'set');
}

function put(
  key: string,
  value: string,
  expiresAtMs: number | undefined,
  keepTtl: boolean,
  { keys }: CommandContext,
): void {
  keys.set(key, value, keepTtl ? keys.find(key)?.expiresAtMs : expiresAtMs);
  const end = keepTtl ? ['KEEPTTL'] : expiresAtMs === undefined ? [] : ['PXAT', `${expiresAtMs}`];
  keys.wrote(['SET', key, value, ...end]);
}

function setnx(key: string, value: string, server: CommandContext): InnerReply {
  if (server.keys.has(key)) return 0;
  put(key, value, undefined, false, server);
  return 1;
}

function setWithExpiry(
  option: 'EX' | 'PX',
  [name = '', key = '', text = '', value = '']: readonly string[],
  server: CommandContext,
): InnerReply {
  const unit = EXPIRY_OPTIONS[option];
  const expiresAtMs = unit && positiveExpiryMs(text, unit, server.keys.nowMs, name);
  put(key, value, expiresAtMs, false, server);
  return OK;
}

function getset(key: string, value: string, server: CommandContext): InnerReply {
  const old = server.keys.string(key) ?? null;
  put(key, value, undefined, false, server);
  return old;
}

function mset(args: readonly string[], server: CommandContext): InnerReply {
  if (args.length % 2 === 0)
    throw new RedisError("ERR wrong number of arguments for 'mset' command");
  for (let at = 1; at < args.length; at += 2)
    server.keys.set(args[at] ?? '', args[at + 1] ?? '', undefined);
  server.keys.wrote(args);
  return OK;
}
