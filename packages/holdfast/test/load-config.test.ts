import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@holdfast/core';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { loadConfig } from '../src/config/source.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('a JSON file is read, with or without a byte order mark', async () => {
  const content = '{ "backend": "memory", "ttlMs": 5000 }';

  expect(await loadConfig(file('a.json', content))).toEqual({ backend: 'memory', ttlMs: 5_000 });
  expect(await loadConfig(file('b.json', `\uFEFF${content}`))).toEqual({
    backend: 'memory',
    ttlMs: 5_000,
  });
});

test('a module is read by its default export', async () => {
  const path = file('c.mjs', 'export default { backend: "memory", waitMs: Infinity };');

  expect(await loadConfig(path)).toEqual({ backend: 'memory', waitMs: Number.POSITIVE_INFINITY });
});

test('a missing file, or a folder, is distinguished from a wrong file', async () => {
  await expect(loadConfig('nowhere.json')).rejects.toThrow(
    'configuration file nowhere.json does not exist',
  );
  await expect(loadConfig('nowhere.mjs')).rejects.toThrow(
    'configuration file nowhere.mjs does not exist',
  );
  await expect(loadConfig('locks.jsn')).rejects.toThrow('Did you mean ".json"?');
  await expect(loadConfig('redis')).rejects.toThrow(
    'redis is neither a URL nor a configuration file; those end in .json, .mjs, .js, .ts, .mts.',
  );
});

test.for([
  ['{\n  "backend": "memory",\n}', '3:1', '"}" comes too early; is there a comma before it?'],
  ['{\n  "backend": memory\n}', '2:14', '"m" is not expected here'],
  ['{ "backend": "memory"', '1:22', 'it ends too early, or the line does'],
  ["{ 'backend': 'memory' }", '1:3', 'use double quotes for strings and names'],
  ['{\n  // mine\n}', '2:3', 'JSON has no comments; use .mjs for a configuration with comments'],
  ['', '1:1', 'it ends too early, or the line does'],
])('broken JSON %j is reported with line and column', async ([content = '', place, reason]) => {
  const path = file('broken.json', content);

  await expect(loadConfig(path)).rejects.toThrow(`${path}:${place} is not JSON: ${reason}`);
});

test('a stray character in a long file is found by halving, not by reading all before it again and again', async () => {
  const list = '"a", '.repeat(40_000);
  const path = file('long.json', `{ "backend": "memory",\n "x": [${list} m ${list}] }`);

  await expect(loadConfig(path)).rejects.toThrow(`${path}:2:200009 is not JSON: "m" is not`);
});

test.for(['[', '{ "a": ', '[]'])('a file of many %s is refused like any other', async (open) => {
  const path = file('deep.json', open.repeat(200_000));

  await expect(loadConfig(path)).rejects.toThrow(ConfigError);
});

test('the error of broken JSON does not quote a password in it', async () => {
  const path = file('secret.json', '{ "url": "redis://user:secret@host" "backend": "x" }');

  await expect(loadConfig(path)).rejects.not.toThrow('secret@');
});

test('a module without a default export, or one that throws, is named', async () => {
  const bare = file('bare.mjs', 'export const config = {};');
  const bad = file('bad.mjs', 'throw new Error("redis://user:secret@host is down");');

  await expect(loadConfig(bare)).rejects.toThrow(`${bare} has no default export`);
  await expect(loadConfig(bad)).rejects.toThrow(
    `${bad} could not be loaded: redis://***@host is down`,
  );
});

test('an error in a file is reported with its name', async () => {
  const path = file('wrong.json', '{ "backend": "memory", "ttl": 5000 }');

  await expect(loadConfig(path)).rejects.toThrow(
    `${path}: backend memory has no option "ttl". Did you mean "ttlMs"?`,
  );
});

/** A file of two stores, of which the second needs a variable. */
const STORES = `{
  "stores": {
    "orders": { "backend": "memory", "ttlMs": 5000 },
    "reports": { "backend": "redis-simple", "url": "redis://:\${REPORTS_PASSWORD}@\${REPORTS_HOST}:6379" }
  }
}`;

test('a variable of the environment is put into every text of a JSON file', async () => {
  vi.stubEnv('REPORTS_PASSWORD', 'sesame').stubEnv('REPORTS_HOST', 'db');
  const path = file('stores.json', STORES);

  const config = await loadConfig(path, { store: 'reports' });

  expect(config).toEqual({ backend: 'redis-simple', url: 'redis://:sesame@db:6379' });
});

test('one variable alone is a number or a truth value where the option takes one, in the stores of a move too', async () => {
  vi.stubEnv('TTL_MS', '5000').stubEnv('RENEW', 'false').stubEnv('EPOCH', '2');
  const path = file(
    'typed.json',
    `{
      "backend": "moving",
      "from": { "backend": "memory", "$schema": "\${TTL_MS}" },
      "to": { "backend": "./mine.mjs", "fencingEpoch": "\${EPOCH}", "options": { "size": "\${EPOCH}" } },
      "ttlMs": "\${TTL_MS}",
      "waitMs": "\${TTL_MS}",
      "renew": "\${RENEW}"
    }`,
  );

  expect(await loadConfig(path)).toEqual({
    backend: 'moving',
    from: { backend: 'memory', $schema: '5000' },
    to: { backend: './mine.mjs', fencingEpoch: 2, options: { size: '2' } },
    ttlMs: 5_000,
    waitMs: 5_000,
    renew: false,
  });
});

test.for([
  ['"ttlMs": "${OPTION}"', '5s', 'the value of OPTION for "ttlMs" in FILE must be a whole number'],
  ['"renew": "${OPTION}"', 'no', 'the value of OPTION for "renew" in FILE must be true or false'],
  [
    '"ttlMs": "${OPTION}"',
    '5',
    'FILE: ttlMs must be a whole number of ms from 100 to 86400000, not 5.',
  ],
  [
    '"ttlMs": "${OPTION}0"',
    '500',
    'FILE: ttlMs must be a whole number of ms from 100 to 86400000, not "5000".',
  ],
] as const)('a variable of another type is refused: %s of %s', async ([option, value, message]) => {
  vi.stubEnv('OPTION', value);
  const path = file('mistyped.json', `{ "backend": "memory", ${option} }`);

  await expect(loadConfig(path)).rejects.toThrow(message.replace('FILE', path));
});

test('a variable that is not set, or empty, is named, and no value of another is shown', async () => {
  vi.stubEnv('REPORTS_PASSWORD', 'sesame').stubEnv('REPORTS_HOST', undefined);
  const path = file('unset.json', STORES);
  const needs = `${path}, store "reports" needs the environment variable REPORTS_HOST, which is`;

  await expect(loadConfig(path, { store: 'reports' })).rejects.toThrow(`${needs} not set`);
  vi.stubEnv('REPORTS_HOST', '');
  await expect(loadConfig(path, { store: 'reports' })).rejects.toThrow(`${needs} empty`);
  vi.stubEnv('REPORTS_HOST', 'nowhere:x');
  await expect(loadConfig(path, { store: 'reports' })).rejects.not.toThrow('sesame');
});

test('of a store that is not chosen no variable need be set', async () => {
  vi.stubEnv('REPORTS_HOST', undefined);
  const path = file('one.json', STORES);

  expect(await loadConfig(path, { store: 'orders' })).toEqual({ backend: 'memory', ttlMs: 5_000 });
});

test('options that JSON can hold, and that are nested too deeply to be searched for variables, are refused', async () => {
  const deep = '['.repeat(6_000) + ']'.repeat(6_000);
  const path = file('deep.json', `{ "backend": "./mine.js", "options": { "x": ${deep} } }`);

  await expect(loadConfig(path)).rejects.toThrow(`${path} is nested too deeply`);
  await expect(loadConfig(path)).rejects.toBeInstanceOf(ConfigError);
});

test('a dollar is doubled where the text itself is meant, and a reference without a name is refused', async () => {
  const text = file('text.json', '{ "backend": "memory", "$schema": "$${HOME}/x.json, 5 $" }');
  const nameless = file('nameless.json', '{ "backend": "memory", "$schema": "${}" }');

  expect(await loadConfig(text)).toMatchObject({ $schema: '${HOME}/x.json, 5 $' });
  await expect(loadConfig(nameless)).rejects.toThrow(
    `${nameless}: "\${…}" must name an environment variable, such as \${REDIS_URL}; write "$\${" for the text itself`,
  );
});

test.for<[content: string, store: string | undefined, message: string]>([
  [
    STORES,
    undefined,
    ' has several stores; choose one: { store: "orders" } in openLocks, --store orders in a command. There are orders, reports.',
  ],
  [STORES, 'order', ' has no store "order". Did you mean "orders"?'],
  [STORES, 'toString', ' has no store "toString". There are orders, reports.'],
  [
    '{ "backend": "memory" }',
    'orders',
    ' is one configuration and has no "stores", so the store "orders" cannot be chosen; leave "store" out',
  ],
  [
    '{ "stores": {} }',
    'orders',
    ': stores must be an object such as { "orders": { "backend": "memory" } }',
  ],
  ['{ "stores": ["a"] }', 'orders', ': stores must be an object such as'],
  [
    '{ "stores": { "a": { "backend": "memory" } }, "ttlMs": 5000 }',
    'a',
    ': "ttlMs" beside "stores" has no meaning; write it into each of them',
  ],
  [
    '{ "stores": { "a": { "backend": "memory", "tllMs": 5000 } } }',
    'a',
    ', store "a": backend memory has no option "tllMs". Did you mean "ttlMs"?',
  ],
])('of %s the store %s is refused', async ([content, store, message]) => {
  const path = file('refused.json', content);

  await expect(loadConfig(path, { store })).rejects.toThrow(`${path}${message}`);
});
