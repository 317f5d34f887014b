import { ConfigError } from '@holdfast/core';
import {
  type PlayOptions,
  type PlayResult,
  play,
  type Schedule,
  type Subject,
} from '../simulator/index.ts';

/** Runs a schedule on a lock; {@link playGuarded} does so in this realm. */
export type Player = (
  schedule: Schedule,
  subject: Subject,
  options?: Pick<PlayOptions, 'trace' | 'guard'>,
) => Promise<PlayResult>;

/**
 * Runs a schedule with the guard on, as every search and replay does. A lock that reads the machine's clock, or waits for
 * events outside the simulation, is refused instead of judged.
 * @throws ConfigError naming what the lock used, and what to use in its place
 */
export async function playGuarded(
  schedule: Schedule,
  subject: Subject,
  { guard = true, ...options }: PlayOptions = {},
): Promise<PlayResult> {
  const played = await play(schedule, subject, { ...options, guard });
  refuseAmbient(played);
  return played;
}

/** @throws ConfigError for a run in which the lock bypassed its runtime */
export function refuseAmbient({ ambient, subject }: Pick<PlayResult, 'ambient' | 'subject'>): void {
  if (ambient === undefined) return;
  throw new ConfigError(`"${subject}" cannot be simulated: ${ambient}`, { backend: subject });
}
