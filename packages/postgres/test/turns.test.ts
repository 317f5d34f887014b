import { expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { Turns } from '../src/modes/turns.ts';
import { DatabaseUnavailable } from '../src/port.ts';

const CALL_MS = 1_000;

/** Calls that end when they are told to. */
class Calls {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly begun: string[] = [];
  readonly #turns = new Turns(this.runtime);
  readonly #ends = new Map<string, () => void>();

  start(name: string, { key = 'k', isUrgent = false } = {}): Promise<void> {
    const deadlineMs = this.runtime.now().monotonicMs + CALL_MS;
    return this.#turns.run(key, { deadlineMs, isUrgent }, () => {
      this.begun.push(name);
      return new Promise((resolve) => this.#ends.set(name, resolve));
    });
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await this.runtime.pass(0);
  }
}

test('two calls about a key run at once; then those that are urgent, and the others in the order in which they came', async () => {
  const calls = new Calls();
  const all = ['a', 'b', 'c', 'd'].map((name) => calls.start(name));
  all.push(calls.start('urgent', { isUrgent: true }), calls.start('elsewhere', { key: 'other' }));
  expect(calls.begun).toEqual(['a', 'b', 'elsewhere']);

  for (const name of ['b', 'a', 'urgent', 'c', 'd', 'elsewhere']) await calls.end(name);

  expect(calls.begun).toEqual(['a', 'b', 'elsewhere', 'urgent', 'c', 'd']);
  await Promise.all(all);
  expect(calls.runtime.timers.size).toBe(0);
});

test('a call whose turn does not come is never begun, and leaves the line before its deadline', async () => {
  const calls = new Calls();
  const running = [calls.start('a'), calls.start('b')];
  const [late] = await Promise.all([
    calls.start('late').catch((cause: unknown) => cause),
    calls.runtime.pass(CALL_MS - 1),
  ]);
  running.push(calls.start('next'));

  for (const name of ['a', 'b', 'next']) await calls.end(name);

  expect(late).toBeInstanceOf(DatabaseUnavailable);
  expect(calls.begun).toEqual(['a', 'b', 'next']);
  await Promise.all(running);
});

test('the turn of a call that fails goes on to the next one', async () => {
  const turns = new Turns(new VirtualRuntime());
  const turn = { deadlineMs: Number.POSITIVE_INFINITY, isUrgent: false };
  const failing = Array.from({ length: 5 }, () =>
    turns.run('k', turn, () => Promise.reject(new Error('refused'))),
  );
  const outcomes = await Promise.allSettled(failing);

  expect(outcomes.map(({ status }) => status)).toEqual(failing.map(() => 'rejected'));
  await expect(turns.run('k', turn, () => Promise.resolve('served'))).resolves.toBe('served');
});
