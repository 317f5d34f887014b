import { ConfigError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { checkedBackend } from '../src/backends/backend-shape.ts';

const CAPABILITIES = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'ap',
  fencing: 'none',
  queue: 'none',
  wakeUp: 'poll',
};
const BACKEND = {
  name: 'mine',
  capabilities: CAPABILITIES,
  contend: () => undefined,
  close: () => undefined,
};

test('a backend has all parts of the port', async () => {
  expect(await checkedBackend(BACKEND, './mine.mjs')).toBe(BACKEND);
});

test('what is refused is closed, for it may have connected', async () => {
  let closed = 0;
  const opened = { ...BACKEND, contend: undefined, close: async () => void closed++ };

  await expect(checkedBackend(opened, './mine.mjs')).rejects.toThrow('contend is not a function');
  expect(closed).toBe(1);
});

test('that it cannot be closed either does not hide what is wrong with it', async () => {
  const opened = {
    ...BACKEND,
    contend: undefined,
    close: () => {
      throw new Error('not open');
    },
  };

  await expect(checkedBackend(opened, './mine.mjs')).rejects.toThrow('contend is not a function');
});

test.each<[unknown, string]>([
  [undefined, 'it is undefined, not an object'],
  [{}, 'contend is not a function'],
  [{ ...BACKEND, close: 1 }, 'close is not a function'],
  [{ ...BACKEND, name: undefined }, 'name is not a string'],
  [{ ...BACKEND, capabilities: null }, 'capabilities is not an object'],
  [
    { ...BACKEND, capabilities: { ...CAPABILITIES, fencing: true } },
    'capabilities.fencing must be one of strict, best-effort, none',
  ],
])('%o is refused: %s', async (opened, flaw) => {
  const said = `"./mine.mjs" opened something that is not a backend: ${flaw}; return a Backend of @holdfast/core/backend`;

  const refused = checkedBackend(opened, './mine.mjs');

  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(said);
});
