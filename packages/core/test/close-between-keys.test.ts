import { expect, test } from 'vitest';
import { Bench, microtasks } from './support/bench.ts';
import { Deferred, granted } from './support/fake-backend.ts';

test('at whatever microtask locks are closed, no further key of several is asked for', async () => {
  const states: unknown[] = [];
  for (let after = 0; after < 30; after++) {
    const bench = new Bench();
    const reply = new Deferred<void>();
    const { locks, process, backend } = bench.fake({
      attempts: [(call, p) => reply.promise.then(() => granted()(call, p)), granted()],
    });
    const asked = (): number => backend.times('contend').length;

    await bench.run(async () => {
      const acquiring = locks.acquire(['a', 'b']).catch(({ code }) => ({ state: code }));
      await process.sleep(10);
      reply.resolve();
      await microtasks(after);
      const before = asked();
      await locks.close();

      expect(asked(), `${after} microtasks later`).toBe(before);
      const { state } = await acquiring;
      states.push(before === 1 ? state : 'both asked for');
    });
  }

  expect(new Set(states)).toEqual(new Set(['CLOSED', 'both asked for']));
});
