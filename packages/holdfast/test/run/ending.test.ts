import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Ending } from '../../src/cli/run/ending.ts';
import { after, type Times } from '../../src/cli/run/instants.ts';

const GRACE_MS = 500;
const MARGIN_MS = 100;
const TTL_MS = 3_000;

/** Two clocks and one timer, in virtual time. */
class World {
  now: Times = { monotonicMs: 10, wallMs: 1e12 };
  readonly sent: string[] = [];
  readonly #start: Times = this.now;
  #timer: { readonly dueMs: number; readonly run: () => void } | undefined;
  readonly ending: Ending = new Ending(
    {
      graceMs: GRACE_MS,
      marginMs: MARGIN_MS,
      now: () => this.now,
      timer: (ms, run) => {
        this.#timer = { dueMs: this.now.monotonicMs + ms, run };
        return () => (this.#timer = undefined);
      },
      terminate: (reason) => this.#send(`SIGTERM, ${reason}`),
      kill: () => this.#send('SIGKILL'),
    },
    after(this.now, TTL_MS),
  );

  /** Passes time; a machine that sleeps has a monotonic clock that stops, and runs no timer. */
  pass(ms: number): void {
    const endMs = this.now.monotonicMs + ms;
    for (;;) {
      const timer = this.#timer;
      if (timer === undefined || timer.dueMs > endMs) break;
      this.#forward(timer.dueMs - this.now.monotonicMs);
      this.#timer = undefined;
      timer.run();
    }
    this.#forward(endMs - this.now.monotonicMs);
  }

  jump(ms: number): void {
    this.now = { ...this.now, wallMs: this.now.wallMs + ms };
  }

  #forward(ms: number): void {
    this.now = after(this.now, Math.max(0, ms));
  }

  #send(what: string): void {
    this.sent.push(`${Math.round(this.now.monotonicMs - this.#start.monotonicMs)} ${what}`);
    // One that has been killed is over.
    if (what === 'SIGKILL') this.ending.stop();
  }
}

describe('a command whose lease is not renewed', () => {
  test('is ended before the lease is over', () => {
    const world = new World();
    world.ending.watch();
    world.pass(10_000);

    expect(world.sent).toEqual(['2400 SIGTERM, deadline', '2900 SIGKILL']);
  });

  test('runs on as long as it is renewed', () => {
    const world = new World();
    world.ending.watch();
    for (let n = 0; n < 10; n++) {
      world.pass(TTL_MS / 3);
      world.ending.extend(after(world.now, TTL_MS));
    }
    expect(world.sent).toEqual([]);
    world.pass(10_000);

    expect(world.sent).toEqual(['12400 SIGTERM, deadline', '12900 SIGKILL']);
  });

  test('has the whole grace where much of the lease is left, and not where it is not', () => {
    const early = new World();
    early.ending.watch();
    early.ending.begin('lost');
    early.pass(10_000);
    expect(early.sent).toEqual(['0 SIGTERM, lost', '500 SIGKILL']);

    const late = new World();
    late.ending.watch();
    late.pass(2_399);
    late.ending.begin('lost');
    late.ending.extend(after(late.now, 300));
    late.pass(10_000);
    expect(late.sent).toEqual(['2399 SIGTERM, lost', '2599 SIGKILL']);
  });

  test('is ended when the wall clock has run ahead, as after a sleep of the machine', () => {
    const world = new World();
    world.ending.watch();
    world.pass(100);
    world.jump(3_600_000);
    world.pass(10_000);

    expect(world.sent).toEqual(['1000 SIGTERM, deadline', '1000 SIGKILL']);
  });

  test('is not spared by a wall clock that is set back', () => {
    const world = new World();
    world.ending.watch();
    world.jump(-3_600_000);
    world.pass(10_000);

    expect(world.sent).toEqual(['2400 SIGTERM, deadline', '2900 SIGKILL']);
  });
});

test('whatever the clocks and the renewals do, it is killed within the last lease that was proven', () => {
  const step = fc.oneof(
    fc.record({ pass: fc.integer({ min: 0, max: 4_000 }) }),
    fc.record({ back: fc.integer({ min: 0, max: 100_000 }) }),
    fc.record({ renew: fc.constant(TTL_MS) }),
    fc.record({ lose: fc.constant(true) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const world = new World();
      let endMs = world.now.monotonicMs + TTL_MS;
      world.ending.watch();
      for (const each of steps) {
        if (world.sent.length > 0) break;
        if ('pass' in each) world.pass(each.pass);
        if ('back' in each) world.jump(-each.back);
        if ('lose' in each) world.ending.begin('lost');
        if ('renew' in each && world.sent.length === 0) {
          world.ending.extend(after(world.now, TTL_MS));
          endMs = world.now.monotonicMs + TTL_MS;
        }
      }
      world.pass(100_000);
      const [terminated = '', killed = '', ...more] = world.sent;
      expect(more).toEqual([]);
      expect(terminated).toContain('SIGTERM');
      const killedMs = 10 + Number(killed.split(' ')[0]);
      expect(killedMs).toBeLessThanOrEqual(endMs - MARGIN_MS);
    }),
  );
});

test('it is too late to start a command where only grace and margin are left', () => {
  const world = new World();
  expect(world.ending.isDue).toBe(false);
  world.pass(TTL_MS - GRACE_MS - MARGIN_MS);

  expect(world.ending.isDue).toBe(true);
});
