import { expect, test } from 'vitest';
import { main } from '../../../packages/holdfast/test/kit.ts';
import type { SaleReport } from '../../src/sale/report.ts';
import { Console } from '../support/console.ts';

async function sale(...args: readonly string[]): Promise<{ code: number; console: Console }> {
  const console = new Console();
  return { code: await main(['sale', ...args], console), console };
}

test('sale tells of every step in one line, and why; and on stderr what it is at', async () => {
  const { code, console } = await sale('--only', 'no-lock,decr');

  expect(code).toBe(0);
  expect(console.err).toBe('embedded: no-lock\nembedded: decr\n');
  expect(console.out).toMatch(/^ ✗ no-lock +1000 +700 /m);
  expect(console.out).toMatch(/^ ✓ decr +300 /m);
  expect(console.out).toContain(
    '    One atomic step needs no lock: a negative reply means sold out.\n',
  );
  expect(console.out.split('\n').filter((line) => line.length > 100)).toEqual([]);
});

test('as JSON it is the same every time', async () => {
  const once = await sale('--json', '--only', 'setnx-expire,write-back');
  const again = await sale('--json', '--only', 'setnx-expire,write-back');

  expect(once.console.out).toBe(again.console.out);
  const report: SaleReport = JSON.parse(once.console.out);
  expect(report).toMatchObject({ format: 'holdfast-sale', version: 1, servers: 'embedded' });
  expect(report.steps.map(({ id, asExpected }) => `${id} ${asExpected}`)).toEqual([
    'write-back true',
    'setnx-expire true',
  ]);
});

test('where the flaw of a step does not show it says so, and exits with 1', async () => {
  const { code, console } = await sale('--only', 'no-lock', '--requests', '1');

  expect(code).toBe(1);
  expect(console.out).toContain('(✗)no-lock'.replace('✗', '✓'));
  expect(console.out).toContain(
    'This run does not show it (oversold, duplicates): more requests might.',
  );
});

test('a lock from outside sells like the others, and nothing is expected of it', async () => {
  const lock = './examples/counts-from-the-reply.js';
  const { code, console } = await sale('--only', 'decr', '--with', lock, '--json');

  expect(code).toBe(0);
  const { steps }: SaleReport = JSON.parse(console.out);
  expect(steps.map(({ id, shows, lock: name }) => [id, shows, name])).toEqual([
    ['decr', [], undefined],
    ['counts-from-the-reply', null, lock],
  ]);
  expect(steps[1]?.figures?.duplicates).toBeGreaterThan(0);
});

test('redlock sells on as many servers as requested', async () => {
  const { console } = await sale('--only', 'redlock,decr', '--nodes', '3', '--json');

  const { steps }: SaleReport = JSON.parse(console.out);
  expect(steps.map(({ id, lock }) => [id, lock])).toEqual([
    ['redlock', 'redlock-3'],
    ['decr', undefined],
  ]);
});

test('a chart says what it measured', async () => {
  const { console } = await sale('--only', 'conflicts', '--requests', '400');

  expect(console.out).toMatch(
    /Measured here: with up to \d+\.\d % conflicts and three retries no customer was turned away\./,
  );
});

test.each([
  [['x'], 'unexpected argument "x"', 'See holdfast sale --help.'],
  [['--only', 'setnx-dell'], 'unknown --only "setnx-dell"', 'Did you mean setnx-del?'],
  [
    ['--with', 'redlock'],
    '--with redlock names a lock that comes with holdfast',
    'Use a file such as ./my-lock.js, or a package.',
  ],
  [
    ['--with', './x.js', '--servers', 'local'],
    '--with is for the simulator',
    'Leave out --servers.',
  ],
  [
    ['--nodes', '7', '--only', 'decr'],
    '--nodes is for redlock, which is not selected',
    'Leave it out.',
  ],
  [
    ['--nodes', '2'],
    '--nodes needs a whole number from 3 to 9, not "2"',
    'See holdfast sale --help.',
  ],
  [['--servers', 'mars'], 'unknown --servers "mars"', 'Use embedded or local.'],
  [
    ['--apps', '0'],
    '--apps needs a whole number from 1 to 16, not "0"',
    'See holdfast sale --help.',
  ],
])('sale %j is refused in one line and a hint', async (args, line, hint) => {
  const { code, console } = await sale(...args);

  expect(code).toBe(2);
  expect(console.err).toBe(`holdfast: ${line}\n${hint}\n`);
});
