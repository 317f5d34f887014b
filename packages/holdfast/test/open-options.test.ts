import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openLocks } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-options-'));
afterAll(() => rmSync(folder, { recursive: true }));

const IN = 'the second argument of openLocks';

test.for<[unknown, string, string | RegExp]>([
  [
    { requires: ['cp'] },
    'InvalidOptionError',
    `${IN} has no option "requires". Did you mean "require"?`,
  ],
  [{ lable: 'a' }, 'InvalidOptionError', `${IN} has no option "lable". Did you mean "label"?`],
  [
    { verbose: true },
    'InvalidOptionError',
    `${IN} has no option "verbose". Use one of require, store, label, on, runtime, reentrant.`,
  ],
  [
    { constructor: 1 },
    'InvalidOptionError',
    `${IN} has no option "constructor". Use one of require, store, label, on, runtime, reentrant.`,
  ],
  [
    { ttlMs: 777 },
    'InvalidOptionError',
    `${IN} has no option "ttlMs": it belongs in the configuration, openLocks({ backend: "redis-simple", url: "redis://localhost", ttlMs: … }), or in a call`,
  ],
  [
    { namespace: 'a' },
    'InvalidOptionError',
    `${IN} has no option "namespace": it belongs in the configuration, the first argument`,
  ],
  [
    { keepMs: 5 },
    'InvalidOptionError',
    `${IN} has no option "keepMs": it belongs in a call, such as acquire or use`,
  ],
  [
    Object.create({ requires: ['cp'] }),
    'InvalidOptionError',
    `${IN} has no option "requires". Did you mean "require"?`,
  ],
  [null, 'InvalidOptionError', `${IN} must be an object`],
  [['cp'], 'InvalidOptionError', `${IN} must be an object`],
  [{ require: 'fencing' }, 'ConfigError', 'require must be a list, not "fencing"'],
  [
    { require: ['fencin'] },
    'ConfigError',
    /unknown requirement 'fencin'; .* Did you mean "fencing"\?$/,
  ],
  [{ runtime: null }, 'InvalidOptionError', 'option runtime must be a Runtime, not null'],
  [{ runtime: {} }, 'InvalidOptionError', 'option runtime must be a Runtime, but it has no now()'],
  [{ label: 5 }, 'InvalidOptionError', 'option label must be a string, not 5'],
  [
    { on: { losst: () => {} } },
    'InvalidOptionError',
    /unknown event 'losst'; .* Did you mean "lost"\?$/,
  ],
  [
    { on: { lost: 'log' } },
    'InvalidOptionError',
    'the listener of \'lost\' must be a function, not "log"',
  ],
])('openLocks refuses %o before anything is opened', async ([options, name, message]) => {
  // @ts-expect-error -- what code without types may pass
  const opening = openLocks('redis://127.0.0.1:1', options);

  await expect(opening).rejects.toThrow(expect.objectContaining({ name }));
  await expect(opening).rejects.toThrow(message);
});

test('a backend that does not say what it promises is not opened for a requirement that there is not', async () => {
  const path = join(folder, 'silent.mjs');
  writeFileSync(path, 'export async function openBackend() { globalThis.openedSilent = true; }');
  // @ts-expect-error -- misspelt
  const opening = openLocks({ backend: path }, { require: ['fencin'] });

  await expect(opening).rejects.toThrow("unknown requirement 'fencin'");
  expect(globalThis).not.toHaveProperty('openedSilent');
});

test('any option may be undefined', async () => {
  const options = { require: undefined, label: undefined, on: undefined, runtime: undefined };
  await using locks = await openLocks('memory:', options);

  await using lease = await locks.acquire('a');
  expect(lease.owner).toMatch(new RegExp(`:1:.+:${process.pid}$`));
});

test.for(['constructor', '__proto__', 'toString'])(
  'a backend named %s is looked for like any other',
  async (backend) => {
    await expect(openLocks({ backend })).rejects.toThrow(`unknown backend "${backend}"`);
  },
);
