import type { EngineReply } from '@holdfast/harness/simulator';
import type { CommandLine, Pair } from './pair.ts';

/** The keys that the corpus finds on the server. */
const FURNITURE: readonly CommandLine[] = [
  ['FLUSHALL'],
  ['SET', 's', 'text'],
  ['RPUSH', 'l', 'one', 'two'],
  ['HSET', 'h', 'f', '1', 'g', '2'],
];

export interface LuaDifference {
  readonly script: string | undefined;
  readonly real: EngineReply;
  readonly simulated: EngineReply;
}

/** Each script runs on equal keys; the value that it leaves under `x` is compared too. */
export async function luaDifferences(
  pair: Pair,
  scripts: readonly string[],
): Promise<LuaDifference[]> {
  const commands = scripts.flatMap((source) => [
    ...FURNITURE,
    ['EVAL', source, '1', 'k', 'a', '2', ''],
    ['GET', 'x'],
  ]);
  const differences = await pair.differences(commands);
  return differences.map(({ command, real, simulated }) => ({
    script: command[1],
    real,
    simulated,
  }));
}

/**
 * Leaves out what differs in the name of an operand alone. Behind `and` and `or` a real server names whatever was
 * last loaded into the register; the corpus holds the names that make sense.
 */
export function beyondNames(differences: readonly LuaDifference[]): LuaDifference[] {
  return differences.filter(({ real, simulated }) => unnamed(real) !== unnamed(simulated));
}

function unnamed(reply: EngineReply): string {
  return JSON.stringify(reply).replace(
    /(?:local|upvalue|global|field|method) '[^']*' \((a \w+ value)\)/g,
    '$1',
  );
}
