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
  survives: [],
};
const BACKEND = {
  name: 'mine',
  capabilities: CAPABILITIES,
  contend: () => undefined,
  close: () => undefined,
};

test('a backend is what has all that the port asks for', () => {
  expect(checkedBackend(BACKEND, './mine.mjs')).toBe(BACKEND);
});

test.each<[unknown, string]>([
  [undefined, 'it is undefined, not an object'],
  [{}, 'contend is no function'],
  [{ ...BACKEND, close: 1 }, 'close is no function'],
  [{ ...BACKEND, name: undefined }, 'name is no string'],
  [{ ...BACKEND, capabilities: null }, 'capabilities is no object'],
  [
    { ...BACKEND, capabilities: { ...CAPABILITIES, fencing: true } },
    'capabilities.fencing must be one of strict, best-effort, none',
  ],
  [
    { ...BACKEND, capabilities: { ...CAPABILITIES, survives: 'all' } },
    'capabilities.survives is no list',
  ],
])('%o is refused: %s', (opened, flaw) => {
  const said = `"./mine.mjs" opened something that is not a backend: ${flaw}; docs/own-backend.md says what one has`;

  expect(() => checkedBackend(opened, './mine.mjs')).toThrow(ConfigError);
  expect(() => checkedBackend(opened, './mine.mjs')).toThrow(said);
});
