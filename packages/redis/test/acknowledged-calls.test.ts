import { beforeEach, describe, expect, test } from 'vitest';
import { Node } from '../src/node.ts';
import {
  type Acknowledgement,
  type CallOptions,
  NodeDoubt,
  NodeNotAcknowledged,
  NodeReplyError,
  NodeUnavailable,
  type Reply,
} from '../src/port.ts';
import { HandDialer, type HandLink, HandRuntime } from './support/by-hand.ts';

let runtime: HandRuntime;
let dialer: HandDialer;
let node: Node;
beforeEach(() => {
  runtime = new HandRuntime();
  dialer = new HandDialer();
  node = new Node({ runtime, dialer, connectMs: 1_000, silenceMs: 500 });
  dialer.last.becomeReady();
});

interface Wish extends Partial<Acknowledgement>, Pick<CallOptions, 'undo'> {
  readonly inMs?: number;
}

function call(name: string, { inMs = 100, undo, ...acknowledged }: Wish = {}): Promise<Reply> {
  const deadlineMs = runtime.now().monotonicMs + inMs;
  const wanted = { replicas: 2, byMs: deadlineMs, ...acknowledged };
  const reply = node.command([name], { deadlineMs, acknowledged: wanted, ...(undo && { undo }) });
  reply.catch(() => undefined);
  return reply;
}

/** The connection for such calls, once it is up; the first call dials it. */
function link(): HandLink {
  const found = dialer.links.find(({ purpose }) => purpose === 'acknowledged');
  if (found === undefined) throw new Error('it was not dialled');
  return found;
}

/** The first burst of calls has left, because the connection is up. */
async function sent(): Promise<void> {
  await Promise.resolve();
  link().becomeReady();
}

function answer(name: string, reply: Reply): void {
  const message = link().written.findLast(({ args }) => args[0] === name);
  if (message === undefined) throw new Error(`${name} was not written`);
  message.answered(reply);
}

async function rejection<E>(
  promise: Promise<unknown> | undefined,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  const error = await promise?.catch((reason: unknown) => reason);
  if (error instanceof kind) return error;
  throw new Error(`expected ${kind.name}, not ${String(error)}`, { cause: error });
}

/** True if it has settled by now. */
async function isSettled(promise: Promise<unknown> | undefined): Promise<boolean> {
  const pending = {};
  const first = await Promise.race([promise?.catch(() => undefined), Promise.resolve(pending)]);
  return first !== pending;
}

test('a call and its WAIT leave together, on a connection of their own', async () => {
  void call('A', { inMs: 100 });
  await sent();

  expect(dialer.links.map(({ purpose }) => purpose)).toEqual(['commands', 'acknowledged']);
  expect(link().names).toEqual(['A', 'WAIT 2 100']);
});

test('its reply is held back until the replicas have acknowledged', async () => {
  const reply = call('A');
  await sent();

  answer('A', 'yes');
  expect(await isSettled(reply)).toBe(false);
  answer('WAIT', 2);

  expect(await reply).toBe('yes');
});

test('a reply that needs no replica is not held back', async () => {
  const reply = call('A', { isNeeded: (given) => given !== 'busy' });
  await sent();

  answer('A', 'busy');

  expect(await reply).toBe('busy');
});

test('too few acknowledgements are an error that says how many, and the write stands', async () => {
  const reply = call('A');
  await sent();

  answer('A', 'yes');
  answer('WAIT', 1);

  const error = await rejection(reply, NodeNotAcknowledged);
  expect(error.acknowledgedBy).toBe(1);
  expect(error.message).toBe('there:1: 1 of 2 replicas acknowledged in time');
  // Whoever wrote it takes it back: the connection has nothing to undo.
  expect(link().names).toEqual(['A', 'WAIT 2 100']);
});

test('so is the end of its own time, while the WAIT goes on for a call with more', async () => {
  const short = call('A', { inMs: 40 });
  const long = call('B', { inMs: 90 });
  await sent();
  answer('A', 'a');
  answer('B', 'b');

  runtime.pass(41);

  await rejection(short, NodeNotAcknowledged);
  expect(await isSettled(long)).toBe(false);
  answer('WAIT', 2);
  expect(await long).toBe('b');
});

test('a reply that comes after the time for replicas is not waited for', async () => {
  const reply = call('A', { inMs: 100, byMs: 50 });
  await sent();
  runtime.pass(60);

  answer('A', 'yes');

  expect((await rejection(reply, NodeNotAcknowledged)).acknowledgedBy).toBeUndefined();
});

describe('WAIT', () => {
  test('is never sent without a limit, however little time is left', async () => {
    runtime.block(10);
    void call('A', { byMs: 10.4, inMs: 100 });
    await sent();

    expect(link().names).toEqual(['A', 'WAIT 2 1']);
  });

  test('is shorter than the silence for which a connection is dropped', async () => {
    void call('A', { inMs: 60_000 });
    await sent();

    // Behind its write, although that has the later deadline: the connection was not up yet.
    expect(link().names).toEqual(['A', 'WAIT 2 250']);
  });

  test('is one for a thousand calls at once', async () => {
    const calls = Array.from({ length: 1_000 }, (_, i) => call(`C${i}`));
    await sent();
    expect(link().names).toHaveLength(1_001);

    for (const [i] of calls.entries()) answer(`C${i}`, i);
    answer('WAIT', 2);

    expect(await Promise.all(calls)).toHaveLength(1_000);
  });

  test('is not followed by other writes while it is pending: these leave together after it', async () => {
    const first = call('A');
    await sent();
    void call('B');
    void call('C');
    await Promise.resolve();
    expect(link().names).toEqual(['A', 'WAIT 2 100']);

    answer('A', 'a');
    answer('WAIT', 2);
    await first;
    await Promise.resolve();

    expect(link().names.slice(2)).toEqual(['B', 'C', 'WAIT 2 100']);
  });

  test('that no server may answer leaves the call without replicas, and says why', async () => {
    const reply = call('A');
    await sent();
    answer('A', 'yes');

    link().written.at(-1)?.refused('NOPERM this user may not send WAIT');

    const { cause } = await rejection(reply, NodeNotAcknowledged);
    expect(cause).toBeInstanceOf(NodeReplyError);
  });

  test('never goes out on another connection than the write, where it would be satisfied at once', async () => {
    const reply = call('A');
    await sent();
    answer('A', 'yes');

    link().events.closed(new Error('cut'));

    await rejection(reply, NodeNotAcknowledged);
    const next = dialer.last;
    next.becomeReady();
    expect(next.names).toEqual([]);
  });
});

test('a call whose turn does not come in time was never written', async () => {
  void call('A', { inMs: 5_000 });
  await sent();
  answer('A', 'a');
  const late = call('B', { inMs: 50 });

  runtime.pass(51);

  const error = await rejection(late, NodeUnavailable);
  expect(error.message).toContain('not sent');
  answer('WAIT', 0);
  await Promise.resolve();
  expect(link().names).toEqual(['A', 'WAIT 2 250']);
});

test('without its own reply a call is a doubt, and its undo goes out behind it', async () => {
  const undo = { args: ['UNDO'], keepUntilMs: 10_000 };
  const reply = call('A', { undo });
  await sent();

  runtime.pass(101);

  expect((await rejection(reply, NodeDoubt)).undo).toBe('ordered');
  expect(link().names).toEqual(['A', 'WAIT 2 100', 'UNDO']);
});

test('a script that the server does not know is sent in full with the next batch', async () => {
  const script = { name: 's', source: 'return 1' };
  const options = { deadlineMs: 1_000, acknowledged: { replicas: 1, byMs: 1_000 } };
  const first = node.script(script, [], [], options);
  await sent();
  answer('EVAL', 1);
  answer('WAIT', 1);
  expect(await first).toBe(1);
  const second = node.script(script, [], [], options);
  await Promise.resolve();

  link().written.at(-2)?.refused('NOSCRIPT No matching script');
  answer('WAIT', 1);
  await Promise.resolve();
  await Promise.resolve();

  expect(link().names.at(-2)).toBe('EVAL return 1 0');
  answer('EVAL', 1);
  answer('WAIT', 1);
  expect(await second).toBe(1);
});

test('close refuses what has not left, and lets the rest finish', async () => {
  const reply = call('A');
  await sent();
  const waiting = call('B');

  const closed = node.close();

  await rejection(waiting, NodeUnavailable);
  answer('A', 'yes');
  answer('WAIT', 2);
  expect(await reply).toBe('yes');
  await closed;
  expect(link().isClosed).toBe(true);
  await rejection(call('C'), NodeUnavailable);
});
