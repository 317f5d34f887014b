import { expect } from 'vitest';
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
