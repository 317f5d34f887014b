import { expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { Batches, type Members, type SharedCall } from '../src/modes/batches.ts';
import { Turns } from '../src/modes/turns.ts';
import type { Reply } from '../src/port.ts';

const CALL_MS = 1_000;

/** Calls that end in the order in which they were sent. */
class Calls {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly sent: (readonly string[])[] = [];
  readonly messages: Members[] = [];
  readonly failures: unknown[] = [];
  readonly #batches = new Batches(this.runtime, new Turns(this.runtime));
  readonly #ends: ((failure?: Error) => void)[] = [];

  run(
    owner: string,
    {
      kind = 'acquire',
      isNew = false,
      callMs = CALL_MS,
      key = 'k',
      what = 'wanted',
      isCrowded = false,
    }: Partial<SharedCall> & { readonly isNew?: boolean; readonly callMs?: number } = {},
  ): Promise<Reply> {
    const sentAt = this.runtime.now();
    const onFailed = (cause: unknown): void => void this.failures.push(cause);
    const deadlineMs = sentAt.monotonicMs + callMs;
    const turn = { deadlineMs, isUrgent: !isNew };
    const call = { key, kind, turn, owner, what, isCrowded, onFailed };
    return this.#batches.run(call, (members) => {
      const { owners } = members;
      this.messages.push(members);
      this.sent.push(owners);
      return new Promise((resolve, reject) => {
        this.#ends.push((failure) =>
          failure ? reject(failure) : resolve({ rows: [{ owners: owners.join() }], sentAt }),
        );
      });
    });
  }

  async end(failure?: Error): Promise<void> {
    this.#ends.shift()?.(failure);
    await this.runtime.pass(0);
  }
}

test('what comes before the turn of a call of its kind goes along, and all get its reply', async () => {
  const calls = new Calls();
  const first = calls.run('a');
  const together = ['b', 'c'].map((owner) => calls.run(owner));
  const others = [calls.run('d', { kind: 'release' }), calls.run('e', { key: 'other' })];
  await calls.end();
  const late = calls.run('f');
  for (let i = 0; i < 4; i++) await calls.end();

  expect(calls.sent).toEqual([['a'], ['e'], ['b', 'c'], ['d'], ['f']]);
  const replies = await Promise.all([first, ...together, ...others, late]);
  expect(replies.map(({ rows }) => rows[0]?.['owners'])).toEqual([
    'a',
    'b,c',
    'b,c',
    'd',
    'e',
    'f',
  ]);
  expect(calls.runtime.timers.size).toBe(0);
});

test('newcomers go along with those who may have been called, and never the other way round', async () => {
  const calls = new Calls();
  const all = [
    calls.run('running'),
    calls.run('called'),
    calls.run('newcomer', { isNew: true }),
    calls.run('another newcomer', { isNew: true }),
  ];
  for (let i = 0; i < 2; i++) await calls.end();

  expect(calls.sent).toEqual([['running'], ['called', 'newcomer', 'another newcomer']]);
  await Promise.all(all);
});

test('newcomers pass none who came before them, of whatever kind', async () => {
  const calls = new Calls();
  const all = [
    calls.run('running'),
    calls.run('first', { isNew: true }),
    calls.run('called'),
    calls.run('second', { isNew: true }),
    calls.run('third', { isNew: true, kind: 'two permits' }),
    calls.run('fourth', { isNew: true }),
  ];
  for (let i = 0; i < 5; i++) await calls.end();

  expect(calls.sent).toEqual([['running'], ['called'], ['first', 'second'], ['third'], ['fourth']]);
  await Promise.all(all);
});

test('who has less time than those that wait, or far more, goes alone', async () => {
  const calls = new Calls();
  const all = [
    calls.run('running'),
    calls.run('slow'),
    calls.run('quick', { callMs: CALL_MS / 4 }),
    calls.run('patient'),
    calls.run('as quick', { callMs: CALL_MS / 3, kind: 'release' }),
    calls.run('nearly', { callMs: CALL_MS / 2, kind: 'release' }),
  ];
  for (let i = 0; i < 5; i++) await calls.end();

  expect(calls.sent).toEqual([
    ['running'],
    ['slow'],
    ['quick'],
    ['patient'],
    ['as quick', 'nearly'],
  ]);
  await Promise.all(all);
});

test('a call that fails, or whose turn does not come, fails for all who are in it, is reported once, and the next is another one', async () => {
  const calls = new Calls();
  const running = calls.run('running');
  const failing = Promise.allSettled([calls.run('a'), calls.run('b')]);
  await calls.end();
  await calls.end(new Error('the connection broke'));
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls.failures).toHaveLength(1);

  const [stuck, stuckToo] = [calls.run('c'), calls.run('d', { kind: 'release' })];
  await calls.runtime.pass(CALL_MS / 10);
  const waiting = Promise.allSettled([calls.run('e'), calls.run('f')]);
  await calls.runtime.pass(CALL_MS);
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls.failures).toHaveLength(2);
  const next = calls.run('g');
  for (let i = 0; i < 3; i++) await calls.end();

  expect(calls.sent).toEqual([['running'], ['a', 'b'], ['c'], ['d'], ['g']]);
  await Promise.all([running, stuck, stuckToo, next]);
});

test('what is given back and what is wanted go together, and one that nobody called leaves all uncalled', async () => {
  const calls = new Calls();
  const all = [
    calls.run('running'),
    calls.run('held', { what: 'released' }),
    calls.run('called'),
    calls.run('of another kind', { kind: 'renew' }),
    calls.run('polling', { what: 'uncalled' }),
  ];
  for (let i = 0; i < 3; i++) await calls.end();

  expect(calls.messages).toEqual([
    { owners: ['running'], released: [], isCalled: true },
    { owners: ['called', 'polling'], released: ['held'], isCalled: false },
    { owners: ['of another kind'], released: [], isCalled: true },
  ]);
  await Promise.all(all);
});

test('in a crowd a call waits for those that come at the same moment, also after the reply to the one before', async () => {
  const calls = new Calls();
  const crowded = { isCrowded: true } as const;
  const first = calls.run('a', crowded);
  await Promise.resolve();
  const together = [calls.run('b', crowded)];
  await calls.runtime.pass(0);
  const waiting = calls.run('c', crowded);
  const later = first.then(() => calls.run('d', crowded));
  for (let i = 0; i < 2; i++) await calls.end();

  expect(calls.sent).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  await Promise.all([first, ...together, waiting, later]);
});
