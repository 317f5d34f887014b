import { randomUUID } from 'node:crypto';
import type { Candidate } from '../candidate.ts';
import { Child } from '../child.ts';
import { commandsBySpan } from '../commands.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { orderOf } from '../turns.ts';
import { type HotKeyCounts, isCounts } from './work.ts';

/** Processes, and callers in each. */
export interface Shape {
  readonly processes: number;
  readonly callers: number;
}

export interface HotKeyResult extends Shape {
  readonly candidate: string;
  readonly handOversPerSecond: Spread;
  /** Jain's index of the turns of all callers: 1 if all had as many, 1/n if one had them all. */
  readonly jain: Spread;
  readonly waitMeanMs: Spread;
  readonly waitP99Ms: Spread;
  /** Commands at the server for one hand-over, those inside of scripts included. */
  readonly commands: Spread;
  /** Scripts at the server for one hand-over: of holdfast, all that its clients send but subscriptions. */
  readonly scripts: Spread;
}

interface Round {
  readonly handOvers: number;
  readonly jain: number;
  readonly meanMs: number;
  readonly p99Ms: number;
  readonly commands: number;
  readonly scripts: number;
}

export interface HotKeyOptions {
  readonly url: string;
  readonly port: number;
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly countedMs: number;
  readonly tell: (text: string) => void;
}

/** Lets the candidates take turns with one key, all processes of one at a time. */
export async function measureHotKey(
  candidates: readonly Candidate[],
  shape: Shape,
  options: HotKeyOptions,
): Promise<readonly HotKeyResult[]> {
  const rounds = new Map(candidates.map((each): [Candidate, Round[]] => [each, []]));
  const started = new Map<Candidate, readonly Child[]>();
  try {
    for (const each of candidates) started.set(each, await startAll(each, shape, options.url));
    for (let round = 0; round < options.rounds; round++)
      for (const each of orderOf(candidates, round)) {
        options.tell(
          `hot key, ${shape.processes} × ${shape.callers}: ${each.name}, round ${round + 1}`,
        );
        rounds.get(each)?.push(await play(started.get(each) ?? [], shape, options));
      }
    return candidates.map((each) => resultOf(each, shape, rounds.get(each) ?? []));
  } finally {
    await Promise.all([...started.values()].flat().map((child) => child.close()));
  }
}

function startAll(
  { name }: Candidate,
  { processes }: Shape,
  url: string,
): Promise<readonly Child[]> {
  return Promise.all(
    Array.from({ length: processes }, () => Child.start('./hot-key/process.js', [name, url])),
  );
}

async function play(
  children: readonly Child[],
  { callers }: Shape,
  { port, warmUpMs, countedMs }: HotKeyOptions,
): Promise<Round> {
  const work = { key: `hot/${randomUUID()}`, callers, warmUpMs, countedMs };
  const counting = commandsBySpan(port, { afterMs: warmUpMs, spanMs: countedMs });
  const answers = await Promise.all(children.map((child) => child.ask(work)));
  const counts = answers.map((answered): HotKeyCounts => {
    if (!isCounts(answered)) throw new Error('a process answered with something else');
    return answered;
  });
  const [commands = { all: Number.NaN, scripts: Number.NaN }] = await counting;
  const turns = counts.flatMap((each) => each.turns);
  const waits = counts.flatMap((each) => each.waitsMs).toSorted((a, b) => a - b);
  const handOvers = turns.reduce((sum, each) => sum + each, 0);
  return {
    handOvers: (handOvers * 1000) / countedMs,
    jain: jainOf(turns),
    meanMs: waits.reduce((sum, each) => sum + each, 0) / waits.length,
    p99Ms: waits[Math.floor(waits.length * 0.99)] ?? Number.NaN,
    commands: commands.all / handOvers,
    scripts: commands.scripts / handOvers,
  };
}

/** Jain, Chiu and Hawe: A Quantitative Measure of Fairness (DEC-TR-301, 1984). */
function jainOf(turns: readonly number[]): number {
  const sum = turns.reduce((total, each) => total + each, 0);
  const squares = turns.reduce((total, each) => total + each * each, 0);
  return (sum * sum) / (turns.length * squares);
}

function resultOf({ name }: Candidate, shape: Shape, rounds: readonly Round[]): HotKeyResult {
  const spread = (of: keyof Round): Spread => spreadOf(rounds.map((round) => round[of]));
  return {
    ...shape,
    candidate: name,
    handOversPerSecond: spread('handOvers'),
    jain: spread('jain'),
    waitMeanMs: spread('meanMs'),
    waitP99Ms: spread('p99Ms'),
    commands: spread('commands'),
    scripts: spread('scripts'),
  };
}
