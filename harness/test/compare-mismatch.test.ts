import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const HOLDFAST = fileURLToPath(new URL('../../packages/holdfast', import.meta.url));
const HARNESS = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-mismatch-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Both packages as they are installed, with what the matrix says of memory under `pause-acquire` changed. */
function installed(name: string, change: (cell: any, matrix: any) => void): string {
  const copy = join(folder, name);
  const harness = join(copy, 'node_modules/@holdfast/harness');
  copyParts(HOLDFAST, copy, ['bin', 'dist', 'package.json']);
  copyParts(HARNESS, harness, ['dist', 'package.json', 'matrix.json']);
  for (const dependency of ['valibot', '@holdfast/core'])
    symlinkSync(join(HOLDFAST, 'node_modules', dependency), join(copy, 'node_modules', dependency));
  symlinkSync(join(HARNESS, 'node_modules'), join(harness, 'node_modules'));
  const path = join(harness, 'matrix.json');
  const matrix = JSON.parse(readFileSync(path, 'utf8'));
  change(matrix.rows.find(({ fault }: any) => fault === 'pause-acquire').cells.memory, matrix);
  writeFileSync(path, JSON.stringify(matrix));
  return copy;
}

function copyParts(from: string, to: string, parts: readonly string[]): void {
  for (const part of parts) cpSync(join(from, part), join(to, part), { recursive: true });
}

function compared(
  copy: string,
  {
    fault = 'pause-acquire',
    backend = 'memory',
  }: { readonly fault?: string; readonly backend?: string } = {},
): { readonly status: number | null; readonly out: string } {
  const args = ['compare', '--servers', 'embedded', '--faults', fault];
  const small = ['--backends', backend, '--budget', '8', '--jobs', '1', '--out', join(copy, 'out')];
  const bin = join(copy, 'bin/holdfast.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args, ...small], {
    encoding: 'utf8',
  });
  return { status, out: stdout + stderr };
}

test('compare ends with 0 where everything is as the matrix says', () => {
  const { status, out } = compared(installed('as-it-is', () => {}));

  expect(status, out).toBe(0);
  expect(out).toContain('As expected in all 2 cells that were run.');
});

test('compare ends with 1 where a lock does not do what the matrix expects of it, and says which', () => {
  const belief = { expect: 'breaks', why: 'So it is written here.' };
  const copy = installed('late', (cell) => Object.assign(cell, { belief }));

  const { status, out } = compared(copy);

  expect(status, out).toBe(1);
  expect(out).toMatch(/pause-acquire on memory: expected late, with fencing holds, got holds/);
});

test('compare ends with 1 where a rare state that a cell asks for was never reached', () => {
  const copy = installed('sometimes', (cell) =>
    Object.assign(cell, { sometimes: ['an unreplicated lock was lost'] }),
  );

  const { status, out } = compared(copy);

  expect(status, out).toBe(1);
  expect(out).toMatch(/in none of \d+ trials an unreplicated lock was lost/);
});

test('compare ends with 1 where a lock reaches beyond its own hold, though nothing else is amiss', () => {
  const copy = installed('meddling', (_, { always }) => {
    always.ownership.mutants['redis-getset'] = 'extend-without-compare';
    always.ownership.rows.push('server-stop');
  });

  const { status, out } = compared(copy, { fault: 'client-clock', backend: 'redis-getset' });

  expect(status, out).toBe(1);
  expect(out).toMatch(/client-clock on redis-getset: ownership: .+\n +npx holdfast replay \S+/s);
});
