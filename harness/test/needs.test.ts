import { ConfigError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { clientsOf } from '../src/search/clients.ts';
import { needsOf } from '../src/search/probe-lock.ts';
import { SERVER_KINDS } from '../src/simulator/index.ts';

const KINDS = ['nothing', ...Object.keys(SERVER_KINDS)];
const OTHERS = KINDS.filter((kind) => kind !== 'redis').join(', ');
const WRITE = `write  export const deployment = { needs: 'redis' };  (or ${OTHERS})`;

test.each(KINDS)('a lock may need %s', (needs) => {
  expect(needsOf({ needs }, './mine.js')).toBe(needs);
});

test.each([
  ['nothing at all', undefined, 'it does not export what it needs'],
  ['a word', 'redis', 'its export deployment is not an object'],
  ['an empty record', {}, 'its export deployment has no needs'],
  ['another kind of needs', { needs: 1 }, 'its export deployment has no needs'],
  [
    'a misspelt word',
    { needs: 'zookeper' },
    'its export deployment has unknown needs "zookeper". Did you mean "zookeeper"?',
  ],
  [
    'a method of every object',
    { needs: 'toString' },
    'its export deployment has unknown needs "toString".',
  ],
  [
    'a field that nobody reads',
    { needs: 'redis', nodes: 5 },
    'its export deployment has an unknown field "nodes"',
  ],
])('%s is refused, with what to write', (_, record, why) => {
  const refused = (): unknown => needsOf(record, './mine.js');

  expect(refused).toThrow(ConfigError);
  expect(refused).toThrow(`"./mine.js" cannot be simulated: ${why}; ${WRITE}`);
});

/** The modes of the first three operations. */
function modes(clients: string): readonly unknown[] {
  const { modeOf } = clientsOf({ needs: 'redis', clients }, './mine.js');
  return [1, 2, 3].map((id) => modeOf?.({ id, client: 'a', atMs: 0, holdMs: 0, renews: false }));
}

test('clients may hold as readers and writers, or permits', () => {
  const [reader, writer] = [{ kind: 'shared' }, { kind: 'exclusive' }];
  const permit = { kind: 'permits', permits: 1, of: 2 };

  expect(modes('readers')).toEqual([reader, reader, writer]);
  expect(modes('permits')).toEqual([permit, permit, permit]);
  expect(clientsOf({ needs: 'redis' }, './mine.js')).toEqual({});
});

test.each(['reader', 'toString', 2])('clients that are %j are refused', (clients) => {
  const refused = (): unknown => clientsOf({ needs: 'redis', clients }, './mine.js');

  expect(refused).toThrow(ConfigError);
  expect(refused).toThrow("unknown clients; write 'readers' or 'permits'");
});
