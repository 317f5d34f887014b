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

/** The end of a laboratory after one of its processes was killed: its exit code, and what it says and leaves. */
export async function endedByDeathOf(module: string): Promise<{
  code: number | null;
  stderr: string;
  partial: boolean;
  columns: readonly string[];
}> {
  const what = ['--faults', 'pause', '--backends', 'redis-simple', '--trials', '1'];
  const lab = new Laboratory(['--profile', 'quick', ...what]);
  try {
    await lab.says('pause on redis-simple: the holder’s process');

    process.kill(lab.pidOf(module), 'SIGKILL');

    const { code, stderr } = await lab.ended;
    await vi.waitFor(() => expect(lab.running).toEqual([]), PATIENCE);
    await vi.waitFor(() => expect(lab.litter).toEqual([]), PATIENCE);
    const { partial, cells } = lab.report;
    return { code, stderr, partial, columns: cells.map(({ column }) => column) };
  } finally {
    await lab.close();
  }
}

/** What a laboratory says and reports once the process of `what` has ended. */
export function deathOf(what: string): object {
  return {
    code: 1,
    stderr: expect.stringMatching(
      new RegExp(`the process of ${what} has ended[^]*The report is partial`),
    ),
    partial: true,
    columns: ['no-lock', 'no-lock'],
  };
}
