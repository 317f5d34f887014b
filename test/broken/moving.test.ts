import type { Locks } from '@holdfast/core';
import {
  type Backend,
  createHost,
  createLocks,
  type Host,
  type Marks,
  type MemoryLink,
  MemoryStore,
  openMemory,
} from '@holdfast/core/backend';
import { World } from '@holdfast/harness/simulator';
import { type MovingOptions, openMoving } from '@holdfast/moving';
import { expect, test } from 'vitest';
import { loadMatrix, TARGET_OF } from '../../harness/test/kit/matrix.ts';
import { search } from '../../harness/test/kit/search.ts';
import { importCopy } from '../mutation/copies.ts';
import { type Mix, MOMENTS, mixedPhases } from '../properties/support/mixed-phases.ts';
import { type Change, copyOf } from './mutate.ts';

type Open = typeof openMoving;

const BUDGET = 100;
const [NONE] = loadMatrix().rows;

/** A copy of the package with one mistake. */
async function mutated(change: Omit<Change, 'package'>): Promise<Open> {
  const folder = copyOf(['moving'], change.name, { ...change, package: 'moving' });
  return (await importCopy<{ readonly openMoving: Open }>(folder, 'moving')).openMoving;
}

/** The first violation that clients of these phases show. */
async function violationOf(mix: Mix, fault: 'none' | 'server-stop' = 'none'): Promise<string> {
  const { counterexample } = await search({
    subject: mixedPhases(mix),
    faults: [fault],
    setup: NONE?.setup ?? {},
    seed: 1,
    budget: BUDGET,
    targets: [TARGET_OF.validity, TARGET_OF.resource],
  });
  return counterexample?.violation.message ?? `none in ${BUDGET}`;
}

test('the token of the wrong side goes back', async () => {
  const open = await mutated({
    name: 'moving-token-of-the-wrong-side',
    file: 'move.ts',
    find: 'this.#isFlipped ? [this.to, to] : [this.from, from]',
    replace: 'this.#isFlipped ? [this.from, from] : [this.to, to]',
  });

  const mix: Mix = { phases: ['moving', 'new'], flipped: 'before' };

  expect(await violationOf({ ...mix, openMoving: open })).toMatch(/tokens do not grow/);
  expect(await violationOf(mix)).toMatch(/^none/);
});

test('a flip that is read before both locks are held lets tokens go back', async () => {
  expect(await goingBackInAll(readingEarly)).toBeGreaterThan(0);
  expect(await goingBackInAll(openMoving)).toBe(0);
});

async function goingBackInAll(open: Open): Promise<number> {
  const counts = MOMENTS.map((flipped) => goingBack({ phases: ['moving'], flipped }, open));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** In how many schedules a client is granted a smaller token than the one before it: all is calm, so replies keep the order. */
async function goingBack(mix: Mix, open: Open): Promise<number> {
  let largest = 0n;
  let isBack = false;
  let count = 0;
  const noting: Open = async (options, host) => {
    const backend = await open(options, host);
    return changed(backend, {
      contend: (request) => {
        const contender = backend.contend(request);
        return {
          attempt: async (deadlineMs) => {
            const attempt = await contender.attempt(deadlineMs);
            const token = attempt.kind === 'granted' ? (attempt.grant.fencingToken ?? 0n) : largest;
            isBack ||= token < largest;
            largest = token;
            return attempt;
          },
          withdraw: () => contender.withdraw(),
        };
      },
    });
  };
  const settle = (): void => {
    if (isBack) count += 1;
    [largest, isBack] = [0n, false];
  };
  await search({
    subject: mixedPhases({ ...mix, openMoving: noting }),
    faults: ['none'],
    setup: NONE?.setup ?? {},
    seed: 1,
    budget: 20,
    onPlay: settle,
  });
  settle();
  return count;
}

/** Reads the flip when it begins to contend, and believes that later. */
const readingEarly: Open = async ({ from, to }, host) => {
  const { marks } = to.backend;
  if (marks === undefined) throw new Error('the store keeps no marks');
  let early: Promise<string | undefined> = Promise.resolve(undefined);
  const read: Marks['read'] = (name, deadlineMs) =>
    name.startsWith('flipped') ? early : marks.read(name, deadlineMs);
  const backend = await openMoving(
    { from, to: { ...to, backend: changed(to.backend, { marks: { ...marks, read } }) } },
    host,
  );
  return changed(backend, {
    contend: (request) => {
      const soon = host.runtime.now().monotonicMs + 1_000;
      early = marks.read('flipped-1', soon).catch(() => undefined);
      return backend.contend(request);
    },
  });
};

test('a fall back to the store that serves has two holders', async () => {
  const mix: Mix = { phases: ['moving', 'new', 'moving'], flipped: 'before' };

  expect(await violationOf({ ...mix, openMoving: fallingBack }, 'server-stop')).toMatch(
    /both held k validly|tokens do not grow/,
  );
  expect(await violationOf(mix, 'server-stop')).toMatch(/^none/);
});

/** Takes the lock of the old store alone while it does not get both. */
async function fallingBack({ from, to }: MovingOptions, host: Host): Promise<Backend> {
  const backend = await openMoving({ from, to }, host);
  return changed(backend, {
    contend: (request) => {
      const [both, old] = [backend.contend(request), from.backend.contend(request)];
      return {
        attempt: async (deadlineMs) => {
          const attempt = await both.attempt(deadlineMs);
          const isDown = attempt.kind === 'unavailable' || attempt.kind === 'unknown';
          return isDown ? await old.attempt(deadlineMs) : attempt;
        },
        withdraw: async () => {
          const [first] = await Promise.all([both.withdraw(), old.withdraw()]);
          return first;
        },
      };
    },
  });
}

/** The backend with some parts replaced; its methods stay its own. */
function changed(backend: Backend, parts: Partial<Backend>): Backend {
  const own: Backend = {
    name: backend.name,
    capabilities: backend.capabilities,
    marks: backend.marks,
    contend: (request) => backend.contend(request),
    close: (options) => backend.close(options),
  };
  return { ...own, ...parts };
}

test('locks taken in the order of the direction wait for each other without end', async () => {
  const open = await mutated({
    name: 'moving-order-by-direction',
    file: 'move.ts',
    find: 'this.#order = a < b ? [from, to] : [to, from];',
    replace: 'this.#order = [from, to];',
  });

  expect(await stuckBetween(open)).toBeGreaterThan(0);
  expect(await stuckBetween(openMoving)).toBe(0);
});

/** The turns that were not taken in time, of clients that move forth and back at once. */
async function stuckBetween(open: Open): Promise<number> {
  const world = new World({ seed: 1, trace: false });
  const server = world.process('stores');
  const a = new MemoryStore(() => server.clocks.monotonicMs);
  const b = new MemoryStore(() => server.clocks.monotonicMs);
  return await world.run(async () => {
    const forth = await clientOf(world, 'forth', open, [a, b, 1]);
    // Before the move back begins, which raises the epoch that a move forth looks for.
    await forth.use('k', () => {});
    b.writeMark('flipped-1', 'flipped');
    const back = await clientOf(world, 'back', open, [b, a, 2]);
    const turns = Array.from({ length: 20 }, async (_, n) =>
      [forth, back][n % 2]?.use('k', () => n),
    );
    const settled = await Promise.allSettled(turns);
    return settled.filter(({ status }) => status === 'rejected').length;
  });
}

/** A client in a process of its own, that moves to a store in this epoch. */
async function clientOf(
  world: World,
  name: string,
  open: Open,
  [from, to, fencingEpoch]: readonly [MemoryStore, MemoryStore, number],
): Promise<Locks> {
  const process = world.process(name);
  const host = createHost({ runtime: process.runtime, label: name });
  // Every call takes a moment, so that clients get between the calls of others.
  const link: MemoryLink = {
    call: (label, effect) => process.call(label, effect, { requestMs: 1, replyMs: 1 }),
    deliver: (label, run) => process.deliver(label, run, 1),
  };
  const backend = await open(
    {
      from: {
        backend: await openMemory({ store: from, link }, host),
        fencingEpoch: fencingEpoch - 1,
      },
      to: { backend: await openMemory({ store: to, link }, host), fencingEpoch },
    },
    host,
  );
  return createLocks(backend, host, { ttlMs: 1_000, waitMs: 5_000 });
}
