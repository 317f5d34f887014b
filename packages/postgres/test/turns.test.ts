import { expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { Turns } from '../src/modes/turns.ts';
import { DatabaseUnavailable } from '../src/port.ts';

const CALL_MS = 1_000;
/** As in the code. */
const SLOW_MS = 100;

/** Calls that end when they are told to. */
class Calls {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly begun: string[] = [];
  readonly #turns = new Turns(this.runtime);
  readonly #ends = new Map<string, () => void>();

  start(name: string, { key = 'k', isUrgent = false, callMs = CALL_MS } = {}): Promise<void> {
    const deadlineMs = this.runtime.now().monotonicMs + callMs;
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

test('calls about a key run one after the other: those that are urgent first, the others in the order in which they came', async () => {
  const calls = new Calls();
  const all = ['a', 'b', 'c'].map((name) => calls.start(name));
  all.push(calls.start('urgent', { isUrgent: true }), calls.start('elsewhere', { key: 'other' }));
  expect(calls.begun).toEqual(['a', 'elsewhere']);

  for (const name of ['a', 'urgent', 'b', 'c', 'elsewhere']) await calls.end(name);

  expect(calls.begun).toEqual(['a', 'elsewhere', 'urgent', 'b', 'c']);
  await Promise.all(all);
  expect(calls.runtime.timers.size).toBe(0);
});

test('the next call does not wait for one without a reply, and no third one is sent beside two of them', async () => {
  const calls = new Calls();
  const all = ['a', 'b', 'c', 'd'].map((name) => calls.start(name));
  await calls.runtime.pass(SLOW_MS - 1);
  expect(calls.begun).toEqual(['a']);
  await calls.runtime.pass(1);
  expect(calls.begun).toEqual(['a', 'b']);
  await calls.runtime.pass(SLOW_MS);
  expect(calls.begun).toEqual(['a', 'b']);

  await calls.end('a');
  expect(calls.begun).toEqual(['a', 'b', 'c']);
  await calls.end('c');
  expect(calls.begun).toEqual(['a', 'b', 'c', 'd']);
  for (const name of ['d', 'b']) await calls.end(name);

  await Promise.all(all);
  expect(calls.runtime.timers.size).toBe(0);
});

test('where calls have little time, the next one waits for a quarter of it', async () => {
  const calls = new Calls();
  const all = ['a', 'b'].map((name) => calls.start(name, { callMs: 80 }));
  await calls.runtime.pass(19);
  expect(calls.begun).toEqual(['a']);
  await calls.runtime.pass(1);
  expect(calls.begun).toEqual(['a', 'b']);

  for (const name of ['a', 'b']) await calls.end(name);
  await Promise.all(all);
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
