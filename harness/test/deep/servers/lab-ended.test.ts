import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  caughtAt,
  deathOf,
  endedByDeathOf,
  GONE,
  LINES,
  PATIENCE,
} from '../../servers/support/lab-caught.ts';
import type { Laboratory } from '../../servers/support/lab-world.ts';

/** Against hanging, not a measure. */
const timeout = 900_000;
/** Half of them on servers that take long to start. */
const SERVERS = ['zk', 'redis-simple,redlock'];
const MOMENTS = 10;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

// Where processes run is read from /proc.
describe.runIf(process.platform === 'linux')('a laboratory that is ended', () => {
  test('by Ctrl-C at any of ten moments leaves no process running, and a report', {
    timeout,
  }, async () => {
    for (let round = 0; round < MOMENTS; round++) {
      const lab = await started(round);

      lab.interrupt();

      await vi.waitFor(() => expect(lab.running).toEqual([]), GONE);
      const { code } = await lab.ended;
      expect(code).toBe(130);
      expect(lab.report).toMatchObject({ partial: true });
      await vi.waitFor(() => expect(lab.litter).toEqual([]), PATIENCE);
    }
  });

  test('by kill -9 at any of ten moments leaves no process running', { timeout }, async () => {
    for (let round = 0; round < MOMENTS; round++) {
      const lab = await started(round);

      lab.kill('SIGKILL');
      await lab.ended;

      await vi.waitFor(() => expect(lab.running).toEqual([]), PATIENCE);
      await vi.waitFor(() => expect(lab.litter).toEqual([]), PATIENCE);
    }
  });

  test('by the death of the resource reports it at once, and leaves no process running', {
    timeout,
  }, async () => {
    expect(await endedByDeathOf('resource-process.js')).toEqual(deathOf('the resource'));
  });
});

async function started(round: number): Promise<Laboratory> {
  // The moment of the signal changes nothing.
  const lines = 1 + Math.floor(Math.random() * LINES);
  const lab = await caughtAt(lines, SERVERS[round % SERVERS.length] ?? '');
  closing.push(() => lab.close());
  return lab;
}
