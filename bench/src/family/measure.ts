import { Child } from '../child.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { orderOf } from '../turns.ts';
import { isTurnsCounts } from './turns-work.ts';

/** What the callers take turns with. */
export const KINDS = ['permits', 'keys', 'keys, fair'] as const;
export type Kind = (typeof KINDS)[number];

export interface TurnsResult {
  readonly kind: Kind;
  readonly insideMs: number;
  readonly handOversPerSecond: Spread;
  readonly turnsMin: Spread;
  readonly overtakenMax: Spread;
}

interface Round {
  readonly handOvers: number;
  readonly turnsMin: number;
  readonly overtakenMax: number;
}

const CALLERS = 1_000;
const SPANS = { warmUpMs: 1_500, countedMs: 4_000 };

/** What is measured, on which server. */
export interface TurnsPlan {
  readonly kinds: readonly Kind[];
  readonly insideMs: number;
  readonly rounds: number;
  readonly start: () => Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** Lets all kinds take turns, one process each. */
export async function measureTurns(
  { kinds, insideMs, rounds: count, start }: TurnsPlan,
  tell: (text: string) => void,
): Promise<readonly TurnsResult[]> {
  const server = await start();
  const rounds = new Map<Kind, Round[]>(kinds.map((kind) => [kind, []]));
  try {
    for (let round = 0; round < count; round++)
      for (const kind of orderOf(kinds, round)) {
        tell(`${kind}, ${insideMs} ms inside, round ${round + 1}`);
        rounds.get(kind)?.push(await play(server.url, kind, { round, insideMs }));
      }
  } finally {
    await server.close();
  }
  return kinds.map((kind) => {
    const spread = (of: keyof Round): Spread =>
      spreadOf((rounds.get(kind) ?? []).map((round) => round[of]));
    return {
      kind,
      insideMs,
      handOversPerSecond: spread('handOvers'),
      turnsMin: spread('turnsMin'),
      overtakenMax: spread('overtakenMax'),
    };
  });
}

async function play(
  url: string,
  kind: Kind,
  { round, insideMs }: { readonly round: number; readonly insideMs: number },
): Promise<Round> {
  const child = await Child.start('./family/process.js', [url, kind]);
  try {
    const key = `${kind}/${round}`;
    const counts = await child.ask({ key, callers: CALLERS, insideMs, ...SPANS });
    if (!isTurnsCounts(counts)) throw new Error('the process answered with something else');
    const handOvers = counts.turns.reduce((sum, each) => sum + each, 0);
    return {
      handOvers: (handOvers * 1_000) / SPANS.countedMs,
      turnsMin: Math.min(...counts.turns),
      overtakenMax: counts.overtakenMax,
    };
  } finally {
    await child.close();
  }
}
