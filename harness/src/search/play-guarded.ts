import { ConfigError } from '@holdfast/core';
import {
  type PlayOptions,
  type PlayResult,
  play,
  type Schedule,
  type Subject,
} from '../simulator/index.ts';

/**
 * Plays with the guard on, as every search and replay does: a lock that goes by the machine's clock, or waits for what no
 * schedule can bring about, is not judged by what comes of that.
 * @throws ConfigError naming what it reached for, and what to use in its place
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

/** @throws ConfigError for a run in which the lock reached past its runtime */
export function refuseAmbient({ ambient, subject }: Pick<PlayResult, 'ambient' | 'subject'>): void {
  if (ambient === undefined) return;
  throw new ConfigError(`"${subject}" cannot be simulated: ${ambient}`, { backend: subject });
}
