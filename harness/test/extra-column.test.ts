import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { runComparison } from '../src/compare/run-comparison.ts';
import { SimulatorRunner } from '../src/compare/simulator-runner.ts';
import { ExtraColumn } from '../src/find/extra-column.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), 'holdfast-extra-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file of a lock, as if it came from outside. */
function file(name: string, needs: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `export const deployment = { needs: '${needs}' };\n${text}`);
  return path;
}

function importing(what: string, from: string): string {
  return `import { ${what} as open } from '${pathToFileURL(import.meta.resolve(from).replace('file://', '')).href}';`;
}

const SIMPLE = file(
  'simple.mjs',
  'redis',
  `${importing('openRedisSimple', '@holdfast/redis-simple')}
export const openBackend = ({ node }, host) => open({ node }, host);`,
);
const QUEUE = file(
  'queue.mjs',
  'zookeeper',
  `${importing('openZk', '@holdfast/zk')}
export const openBackend = ({ openSession }, host) => open({ open: openSession }, host);`,
);
/** Never yields while a client dials a server that is down. */
const HANGS = file(
  'hangs.mjs',
  'redis',
  `export async function openBackend({ node }, { runtime }) {
  const send = (...args) => node.command(args, { deadlineMs: runtime.now().monotonicMs + 100 });
  const attempt = async (key, owner, ttlMs) => {
    const from = runtime.now();
    const reply = await send('SET', key, owner, 'NX', 'PX', String(ttlMs)).catch(async () => { for (;;) await null; });
    if (reply === null) return { kind: 'busy' };
    const release = async () => ({ kind: (await send('DEL', key)) === 1 ? 'released' : 'not-held' });
    return { kind: 'granted', grant: { owner, leaseMs: ttlMs, validity: { from, ms: ttlMs * 0.9 }, release } };
  };
  return {
    name: 'hangs',
    capabilities: { lease: 'per-call-ttl', timeAuthority: 'server', consistency: 'ap', fencing: 'none', queue: 'none', wakeUp: 'poll' },
    contend: ({ key, contender, ttlMs }) => ({ attempt: () => attempt(key, contender, ttlMs), withdraw: async () => ({ kind: 'clean' }) }),
    close: async () => {},
  };
}`,
);

const SILENT = { step() {}, head() {}, row() {}, end() {} };

async function played(lock: string, faults: readonly string[]): ReturnType<typeof runComparison> {
  const settings = { seed: 1, budget: 8, faults, backends: [], all: true, locks: [lock] };
  const stage = await SimulatorRunner.open(settings, (name) => ExtraColumn.open(name, '.'));
  try {
    return await runComparison(stage, SILENT);
  } finally {
    await stage.close();
  }
}

test('a lock from outside has a column whose cells say what was found, and expect nothing', async () => {
  const { columns, safety, notes } = await played(SIMPLE, ['none', 'failover', 'peer-cut']);

  expect(columns.map(({ id }) => id)).toEqual(['no-lock', SIMPLE]);
  const cells = safety.filter(({ column }) => column === SIMPLE);
  expect(cells.map(({ fault, outcome }) => [fault, outcome])).toEqual([
    ['none', 'holds'],
    ['failover', 'breaks'],
    ['failover', 'breaks'],
    ['failover', 'breaks'],
    ['peer-cut', 'inert'],
  ]);
  expect(cells.every(({ expected, unexpected }) => expected === null && !unexpected)).toBe(true);
  expect(notes).toContain(
    `yours is ${SIMPLE}: the matrix has no expectations for it, so its cells show what was found.`,
  );
});

test('a lock on an ensemble is tried as ours on one is', async () => {
  const { safety } = await played(QUEUE, ['none', 'holder-crash']);

  expect(safety.filter(({ column }) => column === QUEUE).map(({ outcome }) => outcome)).toEqual([
    'holds',
    'holds',
  ]);
});

test('a lock of ours on another number of servers expects nothing either', async () => {
  const { safety } = await played('redlock-4', ['none']);

  expect(safety).toMatchObject([
    { column: 'no-lock' },
    { column: 'redlock-4', outcome: 'holds', expected: null },
  ]);
});

test('a lock that never yields loses the cell in which it does not, and no other', async () => {
  const { safety } = await played(HANGS, ['none', 'client-cut', 'holder-crash']);

  const cells = safety.filter(({ column }) => column === HANGS);
  expect(cells.map(({ fault, outcome }) => [fault, outcome])).toEqual([
    ['none', 'holds'],
    ['client-cut', 'nothing'],
    ['holder-crash', 'holds'],
  ]);
  expect(cells[1]?.reason).toContain('has run for 1 s without awaiting anything');
});
