import { expect, test } from 'vitest';
import { type SimProcess, World } from '../../src/simulator/index.ts';

function twoProcesses(): { world: World; a: SimProcess; b: SimProcess } {
  const world = new World();
  return { world, a: world.process('a'), b: world.process('b') };
}

test('a timer fires once, not before its time, and not at all when cancelled', async () => {
  const { world, a } = twoProcesses();
  const fired: string[] = [];
  a.runtime.timer(10, () => fired.push(`kept at ${world.nowMs}`));
  const cancel = a.runtime.timer(10, () => fired.push('cancelled'));

  cancel();
  await world.settle();

  expect(fired).toEqual(['kept at 10']);
});

test('a timer set for a tiny span lets time pass, so that code which sets it again ends', async () => {
  const { world, a } = twoProcesses();
  a.runtime.timer(1e-10, () => {});

  await world.settle();

  expect(world.nowMs).toBe(0.001);
});

test('live timers are counted per process, and awaited ones separately', async () => {
  const { world, a, b } = twoProcesses();
  a.runtime.timer(10, () => {});
  const cancel = a.runtime.timer(20, () => {}, { awaited: true });
  b.runtime.timer(30, () => {});
  void b.sleep(5);

  expect([world.pendingTimers(), world.pendingTimers(a), world.awaitedTimers(a)]).toEqual([
    3, 2, 1,
  ]);
  cancel();
  expect(world.awaitedTimers(a)).toBe(0);
  await world.advance(10);
  expect([world.pendingTimers(a), world.pendingTimers()]).toEqual([0, 1]);
});

test('a timer that never comes is live, and does not keep the world busy', async () => {
  const { world, a } = twoProcesses();
  a.runtime.timer(Number.POSITIVE_INFINITY, () => {});

  await world.settle();

  expect(world.pendingTimers(a)).toBe(1);
});

test('a call takes effect after the request, and returns after the reply', async () => {
  const { world, a } = twoProcesses();
  let effectAtMs = 0;

  const result = await world.run(() =>
    a.call(
      'read',
      () => {
        effectAtMs = world.nowMs;
        return 'value';
      },
      { requestMs: 2, replyMs: 3 },
    ),
  );

  expect([effectAtMs, world.nowMs, result]).toEqual([2, 5, 'value']);
});

test('an error of the far end, at once or later, reaches the caller as a rejection', async () => {
  const { world, a } = twoProcesses();
  await world.run(async () => {
    await expect(a.call('x', failAtOnce, { replyMs: 5 })).rejects.toThrow('at once');
    await expect(a.call('x', failLater, { replyMs: 5 })).rejects.toThrow('later');
  });

  expect(world.nowMs).toBe(10);
});

test('an effect may take its time at the far end', async () => {
  const { world, a, b } = twoProcesses();

  await world.run(() => a.call('slow', () => b.sleep(100), { requestMs: 1, replyMs: 1 }));

  expect(world.nowMs).toBe(102);
});

test('events that a pause holds back come at its end, in the order they were due', async () => {
  const { world, a } = twoProcesses();
  const seen: string[] = [];
  a.runtime.timer(30, () => seen.push('timer due at 30'));
  a.deliver('late', () => seen.push('message due at 20'), 20);
  a.runtime.timer(10, () => seen.push('timer due at 10'));
  world.at(5, () => a.pause(45));
  world.at(49, () => expect(seen).toEqual([]));

  await world.settle();

  expect(seen).toEqual(['timer due at 10', 'message due at 20', 'timer due at 30']);
  expect(world.nowMs).toBe(50);
});

test('pauses that overlap end with the later one', async () => {
  const { world, a } = twoProcesses();
  world.at(0, () => a.pause(100));
  world.at(50, () => a.pause(20));

  await world.run(() => a.sleep(60));

  expect(world.nowMs).toBe(100);
});

test('other processes run while one is paused', async () => {
  const { world, a, b } = twoProcesses();
  world.at(0, () => a.pause(100));

  await world.run(() => b.sleep(10));

  expect(world.nowMs).toBe(10);
});

test('a pause at a time never falls between a check and the call that follows it; a stall does', async () => {
  expect(await checkThenWrite((a, world) => world.at(5, () => a.pause(95)))).toEqual([100, 100]);
  expect(await checkThenWrite((a) => a.stallBefore('write', 1, 100))).toEqual([10, 110]);
});

test('a stall comes before the n-th call of its label, once, and later calls of the step see the later time', async () => {
  const { world, a } = twoProcesses();
  a.stallBefore('now', 2, 100);
  const read = (): number => a.runtime.now().monotonicMs - 1_000_000;

  const seen = await world.run(() => [read(), read(), read(), a.nowMs, world.nowMs]);

  expect(seen).toEqual([0, 100, 100, 100, 0]);
});

test('a fault can be anchored right after a call was sent, or crash a process right before one', async () => {
  const { world, a, b } = twoProcesses();
  const effects: string[] = [];
  a.anchor('after', 'write', 2, () => a.block(100));
  b.anchor('before', 'write', 2, () => b.crash());
  const twice = async (process: SimProcess): Promise<number> => {
    await process.call('write', () => effects.push(`${process.name} at ${world.nowMs}`));
    await process.call('write', () => effects.push(`${process.name} at ${world.nowMs}`));
    return world.nowMs;
  };

  void twice(b);

  expect(await world.run(() => twice(a))).toBe(100);
  expect(effects).toEqual(['b at 0', 'a at 0', 'a at 0']);
});

test('within a stalled step timers count from the later time', async () => {
  const { world, a } = twoProcesses();
  a.stallBefore('timer', 1, 100);
  let firedMs = 0;
  a.runtime.timer(10, () => {
    firedMs = world.nowMs;
  });

  await world.settle();

  expect(firedMs).toBe(110);
});

test('code that blocks its process delays what comes after it in the same step', async () => {
  const { world, a } = twoProcesses();
  const timers: number[] = [];
  a.runtime.timer(10, () => timers.push(world.nowMs));

  const elapsedMs = await world.run(() => {
    const before = a.runtime.now();
    a.block(20);
    a.block(5);
    return a.runtime.elapsedMs(before);
  });
  await world.settle();

  expect(elapsedMs).toBe(25);
  expect(timers).toEqual([25]);
});

test('after a crash nothing reaches a process, and calls it had sent still take effect', async () => {
  const { world, a } = twoProcesses();
  const seen: string[] = [];
  a.runtime.timer(10, () => seen.push('timer'));
  void a.sleep(10).then(() => seen.push('sleep'));
  void a.call('x', () => seen.push('effect'), { requestMs: 10 }).then(() => seen.push('reply'));
  world.at(5, () => a.crash());

  await world.settle();

  expect(seen).toEqual(['effect']);
  expect(world.pendingTimers(a)).toBe(0);
});

test('code of a crashed process that is still running can send no more', async () => {
  const { world, a } = twoProcesses();
  let effects = 0;
  world.at(1, () => {
    a.crash();
    void a.call('x', () => effects++);
  });

  await world.settle();

  expect(effects).toBe(0);
});

test('a call after a stall is not sent when the process dies during the stall', async () => {
  const { world, a } = twoProcesses();
  let effects = 0;
  a.stallBefore('write', 1, 100);
  world.at(50, () => a.crash());
  void a.call('write', () => effects++);

  await world.settle();

  expect(effects).toBe(0);
});

test('a restarted process has the clocks of its machine, and neither timers nor luck of its predecessor', async () => {
  const { world, a } = twoProcesses();
  a.jumpWall(1_000);
  a.runtime.timer(10, () => expect.unreachable());
  await world.advance(5);

  const again = a.restart();

  expect(a.crashed).toBe(true);
  expect(again.runtime.now()).toEqual(a.runtime.now());
  expect(again.runtime.randomId()).not.toBe(a.runtime.randomId());
  expect(world.pendingTimers()).toBe(0);
  await world.run(() => again.sleep(10));
  expect(world.nowMs).toBe(15);
});

test('nothing is collected but the objects that a test names, and those once', async () => {
  const { world, a } = twoProcesses();
  const [kept, dropped, cancelled] = [{}, {}, {}];
  const seen: string[] = [];
  a.runtime.onCollected(kept, () => seen.push('kept'));
  a.runtime.onCollected(dropped, () => seen.push('dropped'));
  a.runtime.onCollected(cancelled, () => seen.push('cancelled'))();

  for (const target of [dropped, dropped, cancelled]) a.collect(target);
  await world.settle();

  expect(seen).toEqual(['dropped']);
});

test('a callback for a target that is already unreferenced runs at once', async () => {
  const { world, a } = twoProcesses();
  const target = {};
  let calls = 0;

  a.collect(target);
  a.runtime.onCollected(target, () => calls++);
  await world.settle();

  expect(calls).toBe(1);
});

test('a trace records which record led to which', async () => {
  const { world, a } = twoProcesses();
  await world.run(async () => {
    await a.sleep(1);
    await a.call('write', () => {}, { requestMs: 1, replyMs: 1 });
  });

  const [send, exec, recv] = world.trace.records.filter(({ label }) => label === 'write');

  expect([send?.kind, exec?.kind, recv?.kind]).toEqual(['send', 'exec', 'recv']);
  expect([exec?.cause, recv?.cause]).toEqual([send?.seq, exec?.seq]);
});

test('a stalled send records when it left', async () => {
  const { world, a } = twoProcesses();
  a.stallBefore('write', 1, 100);
  await world.run(() => a.call('write', () => {}));

  const send = world.trace.records.find(({ kind }) => kind === 'send');

  expect(send).toMatchObject({ atUs: 0, departUs: 100_000 });
});

function failAtOnce(): never {
  throw new Error('at once');
}

function failLater(): Promise<never> {
  return Promise.reject(new Error('later'));
}

/** The time of a process' check, and of the effect that followed it. */
async function checkThenWrite(fault: (a: SimProcess, world: World) => void): Promise<number[]> {
  const world = new World();
  const a = world.process('a');
  let writtenMs = 0;
  fault(a, world);
  const checkedMs = await world.run(async () => {
    await a.sleep(10);
    const checked = a.nowMs;
    await a.call('write', () => {
      writtenMs = world.nowMs;
    });
    return checked;
  });
  return [checkedMs, writtenMs];
}
