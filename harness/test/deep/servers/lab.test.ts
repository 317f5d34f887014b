import { afterEach, expect, test, vi } from 'vitest';
import { Laboratory } from '../../servers/support/lab-world.ts';

/** Against hanging, not a measure: an hour on two quiet cores. */
const LIMIT_MS = 4 * 3_600_000;
const PATIENCE = { timeout: 20_000, interval: 20 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

// Where processes run is read from /proc.
test.runIf(process.platform === 'linux')(
  'the full lab is as expected in all cells, and leaves no process running',
  {
    timeout: LIMIT_MS,
  },
  async () => {
    const lab = new Laboratory(['--profile', 'full']);
    closing.push(() => lab.close());

    const { code, stdout } = await lab.ended;

    expect(lab.report.cells.filter(({ unexpected }) => unexpected)).toEqual([]);
    expect(lab.report).toMatchObject({ verdict: 'as-expected', partial: false });
    expect(stdout).toContain('As expected in all');
    expect(code).toBe(0);
    // The link to the replica is cut, so that chance has no part in it.
    const { validity } = lab.cell('failover', 'redis-simple').figures ?? {};
    expect(validity).toMatchObject({ hits: 10, of: 10 });
    // Of these the matrix has more to say than one server shows: see its differences.
    for (const fault of ['restart-empty', 'torn-log'])
      expect(lab.cell(fault, 'zk/single').outcome).toBe('breaks');
    const fenced = lab.report.cells.flatMap(({ figures }) => figures?.fencedUpdates ?? []);
    expect(fenced.map(({ stale }) => stale)).toEqual(fenced.map(() => 0));
    await vi.waitFor(() => expect(lab.running).toEqual([]), PATIENCE);
    await vi.waitFor(() => expect(lab.litter).toEqual([]), PATIENCE);
  },
);
