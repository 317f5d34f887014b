import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { SaleReport } from '../../src/sale/report.ts';

/** The built command, as it is installed: its application processes are files of `dist`. */
const COMMAND = fileURLToPath(
  new URL('../../../packages/holdfast/bin/holdfast.js', import.meta.url),
);
const LIMIT_MS = 120_000;

async function sale(...args: readonly string[]): Promise<SaleReport> {
  const all = [COMMAND, 'sale', '--servers', 'local', '--json', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, all);
  const report: SaleReport = JSON.parse(stdout);
  return report;
}

test('two real processes and a real redis-server show what the simulator shows', {
  timeout: LIMIT_MS,
}, async () => {
  const only = 'no-lock,check-decr,write-back,setnx-del,set-nx-get-del,redis-simple-fenced,decr';
  const { servers, by, steps } = await sale('--only', only, '--stock', '120', '--requests', '400');

  expect({ servers, by }).toMatchObject({
    servers: 'local',
    by: expect.stringMatching(/^redis-server \d+\.\d+/),
  });
  expect(steps.map(({ id, asExpected }) => `${id} ${asExpected}`)).toEqual(
    only.split(',').map((id) => `${id} true`),
  );
  expect(steps.find(({ id }) => id === 'write-back')?.figures).toMatchObject({
    sold: 60,
    undersold: 60,
  });
  expect(steps.find(({ id }) => id === 'setnx-del')?.figures?.failures).toHaveProperty('CRASHED');
});
