import { type InnerReply, SimUnsupportedError } from '../reply.ts';
import { LuaTable } from './table.ts';
import type { LuaValue } from './values.ts';

/** A reply as scripts see it: nil is false, a status `{ ok = … }`, an error `{ err = … }`. */
export function fromReply(reply: InnerReply): LuaValue {
  if (typeof reply === 'string' || typeof reply === 'number') return reply;
  if (reply === null) return false;
  if ('status' in reply) return withField('ok', reply.status);
  if ('error' in reply) {
    const error = withField('err', reply.error);
    error.set('ignore_error_stats_update', true);
    return error;
  }
  return new LuaTable(reply.map(fromReply));
}

function withField(name: string, text: string): LuaTable {
  const table = new LuaTable();
  table.set(name, text);
  return table;
}

/** Fields that only RESP3 replies use. */
const RESP3_FIELDS = ['double', 'map', 'set', 'big_number', 'verbatim_string'];

/** A script's result as a reply: numbers are truncated to integers, true is 1, and nil ends an array. */
export function luaToReply(value: LuaValue): InnerReply {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return integer(value);
  if (value === true) return 1;
  return value instanceof LuaTable ? tableReply(value) : null;
}

function tableReply(table: LuaTable): InnerReply {
  const error = table.get('err');
  if (typeof error === 'string') return { error: oneLine(error) };
  const status = table.get('ok');
  if (typeof status === 'string') return { status: oneLine(status) };
  for (const field of RESP3_FIELDS)
    if (table.get(field) !== undefined) throw new SimUnsupportedError(`reply of type ${field}`);
  const items: InnerReply[] = [];
  for (let at = 1; ; at++) {
    const item = table.get(at);
    if (item === undefined) return items;
    items.push(luaToReply(item));
  }
}

/** A cast to a 64-bit integer; on x86 values out of range become the smallest integer. */
function integer(value: number): number {
  return Math.abs(value) < 2 ** 63 ? Math.trunc(value) + 0 : -(2 ** 63);
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, ' ');
}
