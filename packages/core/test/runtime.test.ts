import { systemRuntime } from '@holdfast/core/backend';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Children, PREPARE_MS } from './support/child.ts';

const runtime = systemRuntime();

describe('the clocks', () => {
  test('are both read, and advance', () => {
    const before = runtime.now();
    const after = runtime.now();

    expect(after.monotonicMs).toBeGreaterThanOrEqual(before.monotonicMs);
    expect(new Date(after.wallMs).getUTCFullYear()).toBeGreaterThan(2024);
  });

  test('measure a duration by the one that says more', () => {
    const { monotonicMs, wallMs } = runtime.now();

    const bySleep = runtime.elapsedMs({ monotonicMs, wallMs: wallMs - 3_600_000 });
    const byStepBack = runtime.elapsedMs({
      monotonicMs: monotonicMs - 5_000,
      wallMs: wallMs + 60_000,
    });
    expect(bySleep).toBeGreaterThanOrEqual(3_600_000);
    expect(byStepBack).toBeGreaterThanOrEqual(5_000);
    expect(byStepBack).toBeLessThan(60_000);
  });

  test('never measure a negative duration', () => {
    const { monotonicMs, wallMs } = runtime.now();

    expect(runtime.elapsedMs({ monotonicMs: monotonicMs + 60_000, wallMs: wallMs + 60_000 })).toBe(
      0,
    );
  });
});

describe('an id', () => {
  test('is 128 bits in hexadecimal digits, and different each time', () => {
    const ids = Array.from({ length: 20_000 }, () => runtime.randomId());

    expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is not shared between two runtimes', () => {
    expect(systemRuntime().randomId()).not.toBe(systemRuntime().randomId());
  });
});

describe('a timer', () => {
  test('runs once, unless it is cancelled', async () => {
    const ran: string[] = [];

    await new Promise<void>((done) => {
      runtime.timer(1, () => ran.push('cancelled'))();
      runtime.timer(1, () => ran.push('kept'), { awaited: true });
      runtime.timer(2, done, { awaited: true });
    });

    expect(ran).toEqual(['kept']);
  });

  test.each([true, false])(
    'of no time runs once, after what happens now, unless it is cancelled; with setImmediate: %s',
    async (hasImmediate) => {
      const ran: string[] = [];
      vi.stubGlobal(hasImmediate ? 'setTimeout' : 'setImmediate', undefined);

      const done = new Promise<void>((resume) => {
        runtime.timer(0, () => ran.push('cancelled'))();
        runtime.timer(0, () => ran.push('timer'), { awaited: true });
        runtime.timer(0, resume, { awaited: true });
      });
      vi.unstubAllGlobals();
      await Promise.resolve().then(() => ran.push('now'));
      await done;

      expect(ran).toEqual(['now', 'timer']);
    },
  );

  test('may be longer than setTimeout can wait in one go', () => {
    const waits: number[] = [];
    vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
      waits.push(ms);
      run();
    });
    let ran = 0;

    runtime.timer(5_000_000_000, () => ran++);
    vi.unstubAllGlobals();

    expect(waits).toEqual([2_147_483_647, 2_147_483_647, 705_032_706]);
    expect(ran).toBe(1);
  });

  test('that is cancelled in its second slice does not run', () => {
    const runs: (() => void)[] = [];
    const cleared: unknown[] = [];
    vi.stubGlobal('setTimeout', (run: () => void) => runs.push(run));
    vi.stubGlobal('clearTimeout', (handle: unknown) => cleared.push(handle));

    const cancel = runtime.timer(5_000_000_000, () => {});
    runs[0]?.();
    cancel();
    vi.unstubAllGlobals();

    expect(cleared).toEqual([2]);
  });
});

describe('a process', () => {
  let children: Children;
  beforeAll(async () => {
    children = await Children.prepare();
  }, PREPARE_MS);
  afterAll(() => children.remove());

  test.concurrent('exits by itself with an idle lock', async () => {
    await expect(
      children.run(`await locks.use('k', () => {}); console.log(events)`),
    ).resolves.toContain('released');
  });

  test.concurrent('exits by itself while it holds a lock', async () => {
    await expect(children.run(`console.log((await locks.acquire('k')).state)`)).resolves.toBe(
      'held',
    );
  });

  test.concurrent('exits by itself while it keeps a key after its job', async () => {
    const script = `console.log(await locks.tryUse('k', () => 42, { keepMs: 3_600_000 }))`;
    await expect(children.run(script)).resolves.toBe('{ ran: true, value: 42 }');
  });

  test.concurrent('stays while it waits in the local queue', async () => {
    const script = `
      await locks.acquire('k', { ttlMs: 60_000 });
      await locks.acquire('k', { waitMs: 50 }).catch(({ code }) => console.log(code));`;
    await expect(children.run(script)).resolves.toBe('LOCK_TIMEOUT');
  });

  test.concurrent('stays while it waits for another holder', async () => {
    const script = `
      const { MemoryStore } = await import(process.env.CORE + 'backend.js');
      const store = new MemoryStore(() => performance.now());
      store.acquire('k', 'somebody:1:else', 60_000);
      const shared = createLocks(await openMemory({ store }, host), host);
      await shared.acquire('k', { waitMs: 50 }).catch(({ code }) => console.log(code));`;
    await expect(children.run(script)).resolves.toBe('LOCK_TIMEOUT');
  });

  test.concurrent('exits once an abort has ended the only wait', async () => {
    const script = `
      const controller = new AbortController();
      await locks.acquire('k');
      const waiting = locks.acquire('k', { waitMs: Infinity, signal: controller.signal });
      controller.abort('enough');
      await waiting.catch(console.log);`;
    await expect(children.run(script)).resolves.toBe('enough');
  });
});
