import { RedisServer } from '@holdfast/harness/real';
import { chosenOf } from '../candidate.ts';
import { WAITING } from '../candidates.ts';
import { holdfastFair } from '../holdfast.ts';
import { type Section, section } from '../section.ts';
import { table, whole } from '../table.ts';
import { type HotKeyOptions, type HotKeyResult, measureHotKey, type Shape } from './measure.ts';
import { INSIDE_MS } from './work.ts';

interface HotKeyFigures {
  readonly rounds: number;
  readonly shapes: readonly HotKeyResult[];
  /** A queue in order that grows. */
  readonly waiters: readonly HotKeyResult[];
}

const SHAPES: readonly Shape[] = [
  { processes: 4, callers: 4 },
  { processes: 8, callers: 16 },
  { processes: 1, callers: 64 },
];
const WAITERS: readonly Shape[] = [
  { processes: 4, callers: 4 },
  { processes: 4, callers: 64 },
  { processes: 4, callers: 1_024 },
];
const ROUNDS = 3;
const SPANS = { warmUpMs: 700, countedMs: 1_500 };
const LONG_SPANS = { warmUpMs: 1_000, countedMs: 3_000 };

/** One key that all want: how many hand-overs, how fair, and how long the waits. */
export const hotKey: Section = section<HotKeyFigures>({
  name: 'hot-key',
  async measure({ tell, only }) {
    const server = await RedisServer.start();
    const options = (spans: typeof SPANS, rounds: number): HotKeyOptions => ({
      ...spans,
      url: server.url,
      port: server.port,
      rounds,
      tell,
    });
    try {
      const shapes: HotKeyResult[] = [];
      const waiters: HotKeyResult[] = [];
      const chosen = chosenOf(WAITING, only);
      for (const shape of SHAPES)
        shapes.push(...(await measureHotKey(chosen, shape, options(SPANS, ROUNDS))));
      for (const shape of WAITERS)
        waiters.push(...(await measureHotKey([holdfastFair], shape, options(LONG_SPANS, 1))));
      return { rounds: ROUNDS, shapes, waiters };
    } finally {
      await server.close();
    }
  },
  text: ({ rounds, shapes, waiters }) =>
    [
      `One key that all want, ${INSIDE_MS} ms inside: medians of ${rounds} rounds, taking turns. Each library waits as it does by default. Commands and scripts are those of one hand-over.`,
      rowsOf(shapes),
      'A queue in order that grows, of 4 processes',
      rowsOf(waiters),
    ].join('\n'),
  charts: ({ shapes }) => [
    {
      title: 'One key that all want: hand-overs a second',
      unit: 'hand-overs/s',
      across: 'processes × callers',
      at: SHAPES.map(nameOf),
      lines: WAITING.map(({ name }) => ({
        name,
        isOurs: name.startsWith('holdfast'),
        isBase: false,
        values: SHAPES.map((shape) => found(shapes, name, shape)?.handOversPerSecond.median ?? NaN),
      })),
    },
    {
      title: 'One key that all want: the wait of the slowest in a hundred',
      unit: 'ms',
      across: 'processes × callers',
      at: SHAPES.map(nameOf),
      lines: WAITING.map(({ name }) => ({
        name,
        isOurs: name.startsWith('holdfast'),
        isBase: false,
        values: SHAPES.map((shape) => found(shapes, name, shape)?.waitP99Ms.median ?? NaN),
      })),
    },
  ],
});

function nameOf({ processes, callers }: Shape): string {
  return `${processes} × ${callers}`;
}

function found(
  results: readonly HotKeyResult[],
  name: string,
  shape: Shape,
): HotKeyResult | undefined {
  return results.find((each) => each.candidate === name && nameOf(each) === nameOf(shape));
}

function rowsOf(results: readonly HotKeyResult[]): string {
  return table([
    [
      '',
      'processes × callers',
      'hand-overs/s',
      'min – max',
      'Jain',
      'mean wait',
      'p99',
      'commands',
      'scripts',
    ],
    ...results.map((each) => [
      each.candidate,
      nameOf(each),
      whole(each.handOversPerSecond.median),
      `${whole(each.handOversPerSecond.min)} – ${whole(each.handOversPerSecond.max)}`,
      each.jain.median.toFixed(3),
      `${whole(each.waitMeanMs.median)} ms`,
      `${whole(each.waitP99Ms.median)} ms`,
      each.commands.median.toFixed(1),
      each.scripts.median.toFixed(1),
    ]),
  ]);
}
