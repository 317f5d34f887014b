import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The result of a trial, kept for the track record, so that the page does not have to play it again. */
export type Recorded = ScheduleCounts | CheckMessage;

/** From each seed, from 1 on: how many schedules it took. */
interface ScheduleCounts {
  readonly runs: readonly number[];
}

/** The message of the one scene or check that detects it. */
interface CheckMessage {
  readonly said: string;
}

type Named = { readonly name: string };

/** The file of the result. The tests of a mutant compare it, and write it with `vitest -u`. */
export function recordFile({ name }: Named): string {
  return fileURLToPath(new URL(`record/${name}.json`, import.meta.url));
}

export function recordText(recorded: Recorded): string {
  return `${JSON.stringify(recorded)}\n`;
}

export function runsOf(mutant: Named): readonly number[] {
  return read(mutant).runs ?? [];
}

export function saidOf(mutant: Named): string {
  return read(mutant).said ?? '';
}

function read(mutant: Named): Partial<ScheduleCounts & CheckMessage> {
  return JSON.parse(readFileSync(recordFile(mutant), 'utf8'));
}
