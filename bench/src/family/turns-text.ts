import { table, whole } from '../table.ts';
import type { TurnsResult } from './measure.ts';

export function turnsText(turns: readonly TurnsResult[]): string {
  return [
    '1 000 callers of one process: a semaphore of 100 permits, or 100 keys with ten callers each. Medians, [minimum, maximum]',
    table([
      ['', 'ms inside', 'hand-overs/s', 'fewest turns of a caller', 'overtaken by'],
      ...turns.map(({ kind, insideMs, handOversPerSecond, turnsMin, overtakenMax }) => [
        kind,
        `${insideMs}`,
        `${whole(handOversPerSecond.median)} [${whole(handOversPerSecond.min)}, ${whole(handOversPerSecond.max)}]`,
        whole(turnsMin.median),
        whole(overtakenMax.median),
      ]),
    ]),
  ].join('\n');
}
