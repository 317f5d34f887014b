import { overlapMs } from '@holdfast/harness/check';
import { FAULT_IDS, parseSchedule, type Schedule, type Subject } from '@holdfast/harness/simulator';

import { describe, expect, test } from 'vitest';
import { subjectOf } from '../src/locks/index.ts';
import {
  loadSubject,
  minimiseToStory,
  replayTraced,
  type SearchOptions,
  search,
} from '../src/search/index.ts';
import { channelDriver, World } from '../src/simulator/index.ts';

const LATE = { property: 'belief', fenced: false } as const;
const BROKEN = { property: 'validity', fenced: false } as const;

/** On a lock that the fault can affect. */
function affectable(fault: string): Subject {
  return ['lost-wakeup', 'swizzle', 'majority-down'].includes(fault)
    ? subjectOf('redlock')
    : subjectOf('redis-simple');
}

/** What a search plays, as text. */
async function playedBy(options: SearchOptions): Promise<readonly string[]> {
  const schedules: string[] = [];
  const onPlay = (schedule: Schedule): void => void schedules.push(JSON.stringify(schedule));
  await search({ ...options, onPlay });
  return schedules;
}

describe('a search', () => {
  const options: SearchOptions = {
    subject: subjectOf('memory'),
    faults: ['pause'],
    targets: [LATE],
    budget: 500,
    seed: 11,
  };

  test('begins between the turns of a world that bans clocks, as a message to a worker may come there', async () => {
    const world = new World({ guard: true, driver: channelDriver });
    const process = world.process('p');
    const running = world.run(async () => {
      for (let i = 0; i < 1_000; i++) await process.sleep(1);
    });
    const { port1, port2 } = new MessageChannel();
    const searching = new Promise((resolve, reject) => {
      const begin = (): void => void search(options).then(resolve, reject);
      port1.addEventListener('message', begin, { once: true });
      port1.start();
    });
    port2.postMessage('begin');

    await expect(searching).resolves.toMatchObject({ tally: { schedules: expect.any(Number) } });
    await running;
    port1.close();
  });

  test('finds the same again, and another with another seed', async () => {
    const [first, again, other] = [
      await search(options),
      await search(options),
      await search({ ...options, seed: 12 }),
    ];

    expect(first.counterexample).toBeDefined();
    expect(again.counterexample).toEqual(first.counterexample);
    expect(other.counterexample?.schedule).not.toEqual(first.counterexample?.schedule);
  });

  test('shared by several is the same search: together they play what one would have', async () => {
    const whole = { ...options, targets: [], budget: 200 };

    const alone = await playedBy(whole);
    const [even, odd] = [
      await playedBy({ ...whole, share: { first: 0, of: 2 } }),
      await playedBy({ ...whole, share: { first: 1, of: 2 } }),
    ];

    expect(alone).toHaveLength(200);
    expect([...even, ...odd].toSorted()).toEqual(alone.toSorted());
  });

  test('goes no further than what is still of interest', async () => {
    const { tally } = await search({ ...options, targets: [], limit: () => 70 });

    expect(tally.schedules).toBe(70);
  });

  test('ends between two batches when it is aborted', async () => {
    const stop = new AbortController();

    const { tally } = await search({
      ...options,
      targets: [],
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });

    expect(tally.schedules).toBe(64);
  });
});

test.each(FAULT_IDS)(
  'schedules for %s take effect while one client holds and another waits',
  async (fault) => {
    const { tally } = await search({
      subject: affectable(fault),
      faults: [fault],
      budget: 32,
      seed: 1,
    });

    expect(tally.effective).toBeGreaterThan(0);
    expect(tally.violated['liveness']).toBeUndefined();
  },
);

describe('a story', () => {
  test('of a broken lock is as small as it goes', async () => {
    const subject = subjectOf('redis-getset');
    const { counterexample } = await search({
      subject,
      faults: ['client-clock'],
      targets: [BROKEN],
      budget: 500,
      seed: 1,
    });

    const { story, violation } = await minimiseToStory(counterexample!.schedule, subject, BROKEN);

    expect(story.schedule.ops).toHaveLength(2);
    expect(story.schedule.faults).toMatchObject([{ kind: 'client-clock' }]);
    expect(story).toMatchObject({
      backend: 'redis-getset',
      fault: 'client-clock',
      property: 'validity',
      expect: { kind: 'violated' },
    });
    expect(violation.message).toMatch(/both held k validly/);
  });

  test('cannot be made of a schedule that shows nothing', async () => {
    const calm: Schedule = parseSchedule({
      v: 1,
      ttlMs: 1_000,
      latencyMs: 1,
      nodes: 1,
      replicas: 0,
      lagMs: 0,
      replicaClockMs: 0,
      ops: [{ id: 1, client: 'a', atMs: 0, holdMs: 0, renews: false }],
      faults: [],
    });

    await expect(replayTraced(calm, subjectOf('memory'), BROKEN)).rejects.toThrow(
      'memory: the schedule shows no violation when it runs again',
    );
  });
});

test('what is nowhere to be found is refused', async () => {
  await expect(loadSubject('redis-simpel', '.')).rejects.toThrow(/unknown backend "redis-simpel"/);
});

test('a clash that lasts is not made so small that nobody sees it', async () => {
  const subject = subjectOf('redis-simple');
  for (const [fault, wanted] of [
    ['drift', BROKEN],
    ['pause', LATE],
  ] as const) {
    const { counterexample } = await search({
      subject,
      faults: [fault],
      targets: [wanted],
      budget: 500,
      seed: 1,
    });
    const { played } = await minimiseToStory(counterexample!.schedule, subject, wanted);

    expect(overlapMs(played.history, wanted.property), fault).toBeGreaterThanOrEqual(1);
  }
});
