import { describe, expect, test } from 'vitest';
import {
  type Chooser,
  type ChosenStep,
  commute,
  ScriptedChooser,
} from '../../src/sim/exhaustive/choice.ts';
import { explore } from '../../src/sim/exhaustive/explore.ts';
import { shorten } from '../../src/sim/exhaustive/shorten.ts';
import { parseSchedule, type Schedule } from '../../src/simulator/index.ts';

const BUDGET = 10_000;

/** A toy: every actor has a number of steps, and each step records the actor's name; a judge sees some of them. */
interface Toy {
  readonly steps: Readonly<Record<string, number>>;
  readonly seen?: string;
}

/** Plays a toy; returns the order in which its actors wrote, and the steps that the judge saw. */
async function played(
  { steps, seen = '' }: Toy,
  chooser: Chooser,
  orders: string[],
): Promise<boolean> {
  const left = new Map(Object.entries(steps));
  let written = '';
  for (;;) {
    const choices = [...left].filter(([, n]) => n > 0).map(([name]) => ({ name, actor: name }));
    if (choices.length === 0) break;
    const name = chooser.choose(choices);
    if (name === undefined) return false;
    left.set(name, (left.get(name) ?? 0) - 1);
    written += name;
    await Promise.resolve();
    chooser.happened({ name, actor: name, isSeen: seen.includes(name) });
  }
  orders.push(written);
  return true;
}

async function explored(toy: Toy, naive = false, budget = BUDGET) {
  const orders: string[] = [];
  const result = await explore((chooser) => played(toy, chooser, orders), {
    budget,
    naive,
    onRun: () => true,
  });
  return { ...result, orders };
}

describe('explore', () => {
  test('naively, plays every order once', async () => {
    const { runs, abandoned, isComplete, orders } = await explored({ steps: { a: 2, b: 2 } }, true);

    expect([runs, abandoned, isComplete]).toEqual([6, 0, true]);
    expect(new Set(orders).size).toBe(6);
  });

  test('plays one order of steps that all commute', async () => {
    const { runs, isComplete } = await explored({ steps: { a: 2, b: 2, c: 1 } });

    expect([runs, isComplete]).toEqual([1, true]);
  });

  test('plays every order of those that a judge sees, and one of the others', async () => {
    const { orders } = await explored({ steps: { a: 1, b: 1, c: 2 }, seen: 'ab' });

    expect(orders.map((text) => text.replaceAll('c', '')).toSorted()).toEqual(['ab', 'ba']);
  });

  test('reports that it is incomplete when the budget ends it, and when it is stopped', async () => {
    const toy = { steps: { a: 2, b: 2 } };
    const stopped = await explore((chooser) => played(toy, chooser, []), {
      budget: BUDGET,
      naive: true,
      onRun: (_, { runs }) => runs < 2,
    });

    expect((await explored(toy, true, 5)).isComplete).toBe(false);
    expect(stopped).toEqual({ runs: 2, abandoned: 0, isComplete: false });
  });

  test('reports the choices of a run', async () => {
    const orders: string[] = [];
    const ways: string[] = [];
    await explore((chooser) => played({ steps: { a: 1, b: 1 } }, chooser, orders), {
      budget: BUDGET,
      naive: true,
      onRun: (choices) => ways.push(choices.join('')) > 0,
    });

    expect(ways).toEqual(orders);
  });
});

function step(actor: string | undefined, isSeen = false): ChosenStep {
  return { name: 'x', actor, isSeen };
}

test('steps commute when they are of different actors, not both seen, and not of all actors', () => {
  expect(commute(step('a'), step('b'))).toBe(true);
  expect(commute(step('a', true), step('b'))).toBe(true);
  expect(commute(step('a', true), step('b', true))).toBe(false);
  expect(commute(step('a'), step('a'))).toBe(false);
  expect(commute(step(undefined), step('b'))).toBe(false);
});

test('a list of choices skips a choice that cannot come next, and ends with the choice that came up first', () => {
  const choices = ['a', 'b'].map((name) => ({ name, actor: name }));
  const script = new ScriptedChooser(['x', 'b', 'a']);

  expect([1, 2, 3].map(() => script.choose(choices))).toEqual(['b', 'a', 'a']);
});

function matters({ ops, choices = [] }: Schedule): Promise<boolean> {
  return Promise.resolve(ops.length > 1 && choices.includes('b') && choices.includes('b>n1'));
}

test('unnecessary choices and clients are left out', async () => {
  const schedule: Schedule = parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 0,
    nodes: 1,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: ['a', 'b', 'c'].map((client, i) => ({ id: i, client, atMs: 0, holdMs: 0, renews: false })),
    faults: [],
    choices: ['a', 'b', 'c', 'a>n1', 'b>n1'],
  });
  const { ops, choices } = await shorten(schedule, matters);

  expect(ops).toHaveLength(2);
  expect(choices).toEqual(['b', 'b>n1']);
});
