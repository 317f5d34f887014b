import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CREW, deathOf, endedByDeathOf, GONE, PATIENCE } from './support/lab-caught.ts';
import { Laboratory } from './support/lab-world.ts';

/** Against hanging, not a measure. */
const LIMIT_MS = 480_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function laboratory(options: readonly string[]): Laboratory {
  const lab = new Laboratory(['--profile', 'quick', ...options]);
  closing.push(() => lab.close());
  return lab;
}

// Where processes run is read from /proc.
describe.runIf(process.platform === 'linux')('a laboratory that is ended', () => {
  test('by Ctrl-C leaves a report of what it knows, and no process running', {
    timeout: LIMIT_MS,
  }, async () => {
    const lab = laboratory(['--faults', 'none,pause', '--backends', 'zk', '--trials', '1']);
    await lab.says('none on zk, ttl 1500 ms: 1 of 1');
    // An ensemble of three, too.
    await vi.waitFor(() => expect(lab.running).toHaveLength(CREW + 3), PATIENCE);

    lab.interrupt();

    await vi.waitFor(() => expect(lab.running).toEqual([]), GONE);
    const { code, stderr } = await lab.ended;
    await vi.waitFor(() => expect(lab.litter).toEqual([]), PATIENCE);
    expect(code).toBe(130);
    expect(stderr).toContain(`Ended by SIGINT. The report is partial: ${lab.out}/report.html`);
    expect(lab.report).toMatchObject({ partial: true, verdict: 'proved-nothing' });
    expect(lab.cell('pause', 'no-lock').outcome).toBe('breaks');
    expect(lab.page).toContain('Partial: the run was ended before all cells were run.');
  });

  // By the death of the resource, and by kill -9, it ends in `npm run test:deep`.
  test('by the death of its proxies reports it at once, and leaves no process running', {
    timeout: LIMIT_MS,
  }, async () => {
    expect(await endedByDeathOf('proxy-process.js')).toEqual(deathOf('all proxies'));
  });

  test('with its output closed has already printed its findings', {
    timeout: LIMIT_MS,
  }, async () => {
    const lab = laboratory(['--faults', 'none', '--backends', 'redis-simple', '--trials', '1']);
    await lab.says('none on redis-simple: ');
    mkdirSync(join(lab.out, 'report.json'));

    const { code, stdout, stderr } = await lab.ended;

    expect(stdout).toContain('As expected in all 2 cells.');
    expect(stderr).toContain('cannot write the report to');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
  });
});
