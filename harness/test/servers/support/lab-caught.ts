import { expect, vi } from 'vitest';
import { Laboratory } from './lab-world.ts';

export const PATIENCE = { timeout: 20_000, interval: 20 };
/** The promise to a user who presses Ctrl-C. */
export const GONE = { timeout: 2_000, interval: 10 };
/** Itself, three clients, the resource, the proxies and the supervisor. */
export const CREW = 7;

/** By then the second fault on servers has been injected; the first two lines come before the clients are started. */
export const LINES = 10;
const ALONE = 2;

/** A laboratory that has just said so many lines. */
export async function caughtAt(lines: number, backends: string): Promise<Laboratory> {
  const what = ['--faults', 'failover,pause', '--backends', backends, '--trials', '1'];
  const lab = new Laboratory(['--profile', 'quick', ...what]);
  await lab.progresses(lines);
  expect(lab.running.length).toBeGreaterThanOrEqual(lines > ALONE ? CREW : 1);
  return lab;
}

/** Checks that a laboratory reports the death of one of its processes, and ends with it. */
export async function endsByDeathOf(module: string, shown: string): Promise<void> {
  const what = ['--faults', 'pause', '--backends', 'redis-simple', '--trials', '1'];
  const lab = new Laboratory(['--profile', 'quick', ...what]);
  try {
    await lab.says('pause on redis-simple: the holder’s process');

    process.kill(lab.pidOf(module), 'SIGKILL');

    const { code, stderr } = await lab.ended;
    expect(stderr).toContain(`the process of ${shown} has ended`);
    expect(stderr).toContain('The report is partial');
    expect(code).toBe(1);
    expect(lab.report).toMatchObject({ partial: true });
    expect(lab.report.cells.map(({ column }) => column)).toEqual(['no-lock', 'no-lock']);
    await vi.waitFor(() => expect(lab.running).toEqual([]), PATIENCE);
    await vi.waitFor(() => expect(lab.litter).toEqual([]), PATIENCE);
  } finally {
    await lab.close();
  }
}
