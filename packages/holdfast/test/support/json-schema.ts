import { toJsonSchema } from '@valibot/to-json-schema';
import { BACKENDS, BUILT_IN_NAMES } from '../../src/backends/built-in.ts';
import { importedConfig } from '../../src/config/check-config.ts';

/**
 * The schema that editors use, made from the very schemas that check a configuration. Without what JSON cannot say:
 * a client, and Infinity. `vitest -u` on `schema.test.ts` writes it.
 */
export function jsonSchema(): string {
  const one = {
    description: 'One store. The backend decides which other options there are.',
    type: 'object',
    required: ['backend'],
    properties: { backend: { anyOf: [{ enum: BUILT_IN_NAMES }, { type: 'string' }] } },
    anyOf: [
      ...BACKENDS.map(({ schema: whole, fileSchema = whole }) => backendSchema(fileSchema)),
      backendSchema(importedConfig, { backend: { type: 'string', not: { enum: BUILT_IN_NAMES } } }),
    ],
  };
  const ref = { $ref: '#/definitions/store' };
  const several = {
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      stores: {
        description: 'Several stores by name; openLocks opens the one that its option store names.',
        type: 'object',
        minProperties: 1,
        additionalProperties: ref,
      },
    },
  };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of Holdfast',
    description: 'What openLocks takes as a file: one store, or several by name.',
    if: { required: ['stores'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
    then: several,
    else: ref,
    definitions: { store: one },
  };
  return `${linesOf(schema)}\n`;
}

/** One backend's schema as a part of the whole; `own` is put over its properties. */
function backendSchema(schema: Parameters<typeof toJsonSchema>[0], own: object = {}): object {
  // Checks that JSON Schema has no words for are left to `openLocks`.
  const { $schema: _, properties, ...rest } = toJsonSchema(schema, { errorMode: 'ignore' });
  const waitMs = { type: 'integer', minimum: 0, description: describe(properties?.['waitMs']) };
  const all = Object.entries({ ...properties, waitMs, ...own });
  return {
    ...rest,
    properties: Object.fromEntries(all.map(([name, each]) => [name, orReference(each)])),
  };
}

/** What takes a number or a truth value also takes one `${NAME}`. */
function orReference(property: unknown): unknown {
  if (typeof property !== 'object' || property === null || !('type' in property)) return property;
  const { type, ...rest } = property;
  return ['integer', 'boolean'].includes(String(type))
    ? { type: [type, 'string'], pattern: String.raw`^\$\{\w+\}$`, ...rest }
    : property;
}

function describe(property: unknown): unknown {
  return typeof property === 'object' && property !== null && 'description' in property
    ? property.description
    : undefined;
}

const WIDTH = 200;

/** As JSON, each part on one line where it fits: two thirds of the size that it would have in the format of the sources. */
function linesOf(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (flat.length + indent.length <= WIDTH || typeof value !== 'object' || value === null)
    return flat;
  const inner = `${indent} `;
  const lines = Array.isArray(value)
    ? value.map((each) => linesOf(each, inner))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${JSON.stringify(name)}: ${linesOf(each, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${inner}${lines.join(`,\n${inner}`)}\n${indent}${close}`;
}
