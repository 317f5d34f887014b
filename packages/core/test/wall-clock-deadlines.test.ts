import { World } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { DeadlineHeap } from '../src/deadline-heap.ts';

test('a deadline that another one clears while all fire, as the wall clock ran ahead, does not fire', async () => {
  const world = new World();
  const process = world.process('p');
  const heap = new DeadlineHeap(process.runtime, { awaited: false, watchesWall: true });
  const fired: string[] = [];
  const dueMs = process.runtime.now().monotonicMs + 60_000;
  const cancels = ['a', 'b'].map((name) =>
    heap.at(dueMs, () => {
      fired.push(name);
      for (const cancel of cancels) cancel();
    }),
  );

  await world.run(async () => {
    process.jumpWall(3_600_000);
    await process.sleep(2_000);
  });

  expect(fired).toEqual(['a']);
});
