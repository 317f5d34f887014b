import { SimUnsupportedError } from '../../reply.ts';
import { numberText } from '../conversions.ts';
import { fault } from '../errors.ts';
import { LuaTable } from '../table.ts';
import { LuaUserdata, type LuaValue, typeOf } from '../values.ts';
import { Arguments } from './arguments.ts';

const NULL = new LuaUserdata('(nil)');

/** JSON as lua-cjson writes and reads it, with its default settings. */
export const CJSON: Readonly<Record<string, LuaValue>> = {
  encode: (...values) => encoded(single('encode', values).value(1), 0),
  decode: (...values) => decode(single('decode', values).string(1)),
  null: NULL,
  ...Object.fromEntries(
    [
      'new',
      'encode_sparse_array',
      'encode_max_depth',
      'decode_max_depth',
      'encode_number_precision',
      'encode_keep_buffer',
      'encode_invalid_numbers',
      'decode_invalid_numbers',
    ].map((name) => [name, unsupported(name)]),
  ),
};

function unsupported(name: string): LuaValue {
  return () => {
    throw new SimUnsupportedError(`cjson.${name}`);
  };
}

function single(name: string, values: readonly LuaValue[]): Arguments {
  const args = new Arguments(name, values);
  if (args.count !== 1) throw args.bad(1, 'expected 1 argument');
  return args;
}

const DEPTH_MAX = 1000;

function encoded(value: LuaValue, depth: number): string {
  if (value === undefined || value === NULL) return 'null';
  if (typeof value === 'boolean') return `${value}`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return number(value);
  if (value instanceof LuaTable) return table(value, depth + 1);
  throw fault(`Cannot serialise ${typeOf(value)}: type not supported`);
}

function number(value: number): string {
  if (!Number.isFinite(value)) throw fault('Cannot serialise number: must not be NaN or Inf');
  return numberText(value);
}

function table(value: LuaTable, depth: number): string {
  if (depth > DEPTH_MAX) throw fault(`Cannot serialise, excessive depth (${DEPTH_MAX + 1})`);
  const size = arraySize(value);
  if (size > 0) {
    const items = Array.from({ length: size }, (_, at) => encoded(value.get(at + 1), depth));
    return `[${items.join(',')}]`;
  }
  const fields = [...value.entries()].map(
    ([key, field]) => `${keyText(key)}:${encoded(field, depth)}`,
  );
  return `{${fields.join(',')}}`;
}

const SPARSE_RATIO = 2;
const SPARSE_SAFE = 10;

/** Returns 0 if the table is no array; an empty table is none. */
function arraySize(value: LuaTable): number {
  let [largest, count] = [0, 0];
  for (const [key] of value.entries()) {
    if (typeof key !== 'number' || !Number.isInteger(key) || key < 1) return 0;
    largest = Math.max(largest, key);
    count++;
  }
  if (largest > SPARSE_SAFE && largest > count * SPARSE_RATIO)
    throw fault('Cannot serialise table: excessively sparse array');
  return largest;
}

function keyText(key: LuaValue): string {
  if (typeof key === 'string') return quoted(key);
  if (typeof key === 'number') return `"${number(key)}"`;
  throw fault('Cannot serialise table: table key must be a number or string');
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

// oxlint-disable-next-line no-control-regex -- JSON escapes control characters
const ESCAPED = /[\0-\x1f\x7f"\\/]/g;

function quoted(text: string): string {
  return `"${text.replace(ESCAPED, escaped)}"`;
}

function escaped(char: string): string {
  return SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function decode(text: string): LuaValue {
  let parsed: unknown;
  try {
    parsed = JSON.parse(withBytes(text));
  } catch {
    throw fault('Expected value but found invalid token at character 1');
  }
  return luaValue(parsed);
}

/** Escaped characters as the bytes of their UTF-8; escapes that JSON itself needs remain. */
function withBytes(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-f]{4})(?:\\u(d[c-f][0-9a-f]{2}))?|[^])/gi,
    (whole, first?: string, second?: string) => {
      if (first === undefined) return whole;
      const code = Number.parseInt(first, 16);
      if (code < 0x80)
        return second === undefined ? whole : `\\u${first}${withBytes(`\\u${second}`)}`;
      const units = [code, ...(second === undefined ? [] : [Number.parseInt(second, 16)])];
      return String.fromCharCode(...new TextEncoder().encode(String.fromCharCode(...units)));
    },
  );
}

function luaValue(json: unknown): LuaValue {
  if (json === null) return NULL;
  if (typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean')
    return json;
  const made = new LuaTable();
  if (Array.isArray(json))
    for (const [at, item] of json.entries()) made.set(at + 1, luaValue(item));
  else for (const [key, field] of Object.entries(json ?? {})) made.set(key, luaValue(field));
  return made;
}
