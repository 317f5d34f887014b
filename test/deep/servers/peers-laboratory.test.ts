import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LabReport } from '@holdfast/harness/lab';
import { afterAll, expect, test } from 'vitest';
import {
  ENTRANTS,
  type Entrant,
  oursNamed,
  REAL_FAULTS,
  recordFile,
  recordOf,
  recordText,
} from '../../peers/laboratory.ts';
import { curator, kazoo, npm, redisPy } from '../../servers/support/neighbour-process.ts';
import { run } from '../../support/run.ts';
import { root } from '../../support/source-file.ts';

/** `PEERS_LAB=write` plays every fault, and keeps what it found for docs/evidence/other-libraries.md. */
const WRITES = process.env['PEERS_LAB'] === 'write';
const TRIALS = WRITES ? Number(process.env['PEERS_TRIALS'] ?? 3) : 1;
const TTL_MS = 1_500;
/** In test:deep: what every lock survives, and what shows that the bench sees a late holder. */
const FEW = ['none', 'holder-crash', 'pause'];
const timeout = 3_600_000;

const COMMANDS: Readonly<Record<string, string | undefined>> = {
  'redis-semaphore': npm('redis-semaphore.mjs'),
  Verrou: npm('verrou.mjs'),
  'redis-py': redisPy('', TTL_MS)?.command,
  'redlock 5, using': npm('redlock.mjs'),
  Curator: curator('', TTL_MS)?.command,
  kazoo: kazoo('', TTL_MS, [])?.command,
};

const folder = mkdtempSync(join(tmpdir(), 'holdfast-peers-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function tried({ name, on, besideOurs }: Entrant): Promise<LabReport> {
  const out = join(folder, on, name);
  const faults = WRITES ? REAL_FAULTS[on] : FEW;
  const lock = ['--external', COMMANDS[name] ?? '', '--external-on', on];
  const what = ['--faults', faults.join(','), ...(besideOurs ? ['--backends', on] : [])];
  const effort = ['--profile', 'quick', '--ttl', `${TTL_MS}`, '--trials', `${TRIALS}`];
  const bin = join(root, 'packages/holdfast/bin/holdfast.js');
  const args = [bin, 'compare', '--servers', 'local', ...lock, ...what, ...effort, '--out', out];
  const { output } = await run(process.execPath, args, { cwd: root });
  expect(output).toContain('Report');
  return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as LabReport;
}

const installed = ENTRANTS.filter(({ name }) => COMMANDS[name] !== undefined);

test.each(installed)('$name under faults of real servers', { timeout }, async (entrant) => {
  const report = await tried(entrant);

  const its = recordOf(report, entrant, 'external');
  const ours = recordOf(report, { ...entrant, name: oursNamed(entrant.on) }, entrant.on);
  if (WRITES)
    for (const each of entrant.besideOurs ? [its, ours] : [its])
      writeFileSync(recordFile(each.name), recordText(each));

  expect(its.outcomes.holds).toEqual(expect.arrayContaining(['none', 'holder-crash']));
  const others = report.cells.filter(({ column }) => column !== 'external');
  expect(others.filter(({ unexpected }) => unexpected)).toEqual([]);
});
