import { digest } from '../../bytes.ts';
import { formatGeneral } from '../../printf.ts';
import { SimUnsupportedError } from '../../reply.ts';
import { toStringValue } from '../conversions.ts';
import { LuaError } from '../errors.ts';
import { machine } from '../machine.ts';
import { fromReply } from '../replies.ts';
import { LuaTable } from '../table.ts';
import { type LuaValue, NOTHING } from '../values.ts';

/** Redis's additions to Lua. */
export const REDIS: Readonly<Record<string, LuaValue>> = {
  call: (...values) => {
    const reply = called(values);
    if (reply instanceof LuaTable && typeof reply.get('err') === 'string')
      throw new LuaError(reply);
    return reply;
  },
  pcall: (...values) => called(values),
  error_reply: (...values) => errorReply(values),
  status_reply: (...values) => statusReply(values),
  sha1hex: (...values) => {
    if (values.length !== 1) throw raised('wrong number of arguments');
    return digest(toStringValue(values[0]) ?? '');
  },
  log: (...values) => {
    if (values.length < 2) throw raised('redis.log() requires two arguments or more.');
    return NOTHING;
  },
  replicate_commands: () => true,
  setresp: (version) => {
    if (version !== 2) throw new SimUnsupportedError('RESP3 in scripts');
    return NOTHING;
  },
  set_repl: missing('set_repl'),
  acl_check_cmd: missing('acl_check_cmd'),
  breakpoint: () => false,
  debug: () => NOTHING,
  LOG_DEBUG: 0,
  LOG_VERBOSE: 1,
  LOG_NOTICE: 2,
  LOG_WARNING: 3,
  REPL_NONE: 0,
  REPL_AOF: 1,
  REPL_SLAVE: 2,
  REPL_REPLICA: 2,
  REPL_ALL: 3,
  REDIS_VERSION: '7.0.15',
  REDIS_VERSION_NUM: 0x07000f,
};

function missing(name: string): LuaValue {
  return () => {
    throw new SimUnsupportedError(`redis.${name}`);
  };
}

function called(values: readonly LuaValue[]): LuaValue {
  if (values.length === 0)
    return failure('Please specify at least one argument for this redis lib call');
  const args: string[] = [];
  for (const value of values) {
    const text = typeof value === 'number' ? formatGeneral(value, 17) : value;
    if (typeof text !== 'string')
      return failure('Lua redis lib command arguments must be strings or integers');
    args.push(text);
  }
  return fromReply(machine.host.call(args));
}

function failure(message: string): LuaTable {
  return fromError(`ERR ${message}`);
}

function raised(message: string): LuaError {
  return new LuaError(failure(message));
}

function fromError(message: string): LuaTable {
  const table = new LuaTable();
  table.set('err', message);
  return table;
}

function errorReply(values: readonly LuaValue[]): LuaTable {
  const [text] = values;
  if (values.length !== 1 || typeof text !== 'string')
    return failure('wrong number or type of arguments');
  const bare = (text.startsWith('-') ? text.slice(1) : text)
    .replace(/[\r\n]+$/, '')
    .replace(/[\r\n]/g, ' ');
  return fromError(bare.includes(' ') ? bare : `ERR ${bare}`);
}

function statusReply(values: readonly LuaValue[]): LuaTable {
  const [text] = values;
  if (values.length !== 1 || typeof text !== 'string')
    return failure('wrong number or type of arguments');
  const table = new LuaTable();
  table.set('ok', text);
  return table;
}
