import { beforeEach, describe, expect, test } from 'vitest';
import { CommandConnection } from '../src/command-connection.ts';
import type { OutgoingCommand } from '../src/link.ts';
import {
  type CallOptions,
  NodeDoubt,
  NodeReplyError,
  NodeUnavailable,
  type Reply,
} from '../src/port.ts';
import { HandDialer, HandRuntime } from './support/by-hand.ts';

let runtime: HandRuntime;
let dialer: HandDialer;
let line: CommandConnection;
let silences: string[];
beforeEach(() => {
  runtime = new HandRuntime();
  dialer = new HandDialer();
  silences = [];
  line = new CommandConnection({
    runtime,
    dialer,
    connectMs: 1_000,
    silenceMs: 500,
    silent: (cause) => silences.push(cause.message),
  });
});

function call(
  name: string,
  options: Partial<CallOptions> & { inMs?: number } = {},
): Promise<Reply> {
  const deadlineMs = runtime.now().monotonicMs + (options.inMs ?? 100);
  return new Promise((resolve, reject) =>
    line.call([name], { deadlineMs, ...options }, { resolve, reject }),
  );
}

async function rejection<E>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  const error = await promise.catch((reason: unknown) => reason);
  if (error instanceof kind) return error;
  throw new Error(`expected ${kind.name}`, { cause: error });
}

function written(name: string): OutgoingCommand {
  const message = dialer.last.written.find(({ args }) => args[0] === name);
  if (message === undefined) throw new Error(`${name} was not written`);
  return message;
}

const undo = (
  options: { keepUntilMs?: number; wanted?: () => boolean } = {},
): { undo: NonNullable<CallOptions['undo']> } => ({
  undo: { args: ['UNDO'], keepUntilMs: 10_000, ...options },
});

describe('inside a MULTI of somebody else on its connection', () => {
  test('a call is a doubt, and its undo goes out behind it, into the MULTI', async () => {
    dialer.last.becomeReady();
    const reply = call('A', undo());

    written('A').answered('QUEUED');

    const doubt = await rejection(reply, NodeDoubt);
    expect(doubt.message).toContain('MULTI');
    expect(doubt.undo).toBe('ordered');
    expect(dialer.last.names).toEqual(['A', 'UNDO']);
  });

  test('an undo is not done, since it may be discarded', async () => {
    dialer.last.becomeReady();
    const reply = call('A', undo());
    written('A').answered('QUEUED');
    const doubt = await rejection(reply, NodeDoubt);

    written('UNDO').answered('QUEUED');

    expect(await doubt.undone).toBe(false);
  });
});

describe('before the first connection', () => {
  test('a call waits for it and goes out then', async () => {
    const reply = call('A');
    expect(dialer.last.names).toEqual([]);

    dialer.last.becomeReady();
    written('A').answered('yes');

    expect(await reply).toBe('yes');
  });

  test('a call waits no longer than to its deadline, and is not written after it', async () => {
    const reply = call('A');

    runtime.pass(100);
    await rejection(reply, NodeUnavailable);
    dialer.last.becomeReady();

    expect(dialer.last.names).toEqual([]);
  });

  test('a socket that connects and then stays silent does not count as a connection', async () => {
    const reply = call('A', { inMs: 5_000 });

    dialer.last.events.ready();
    runtime.pass(1_000);

    await rejection(reply, NodeUnavailable);
    expect(dialer.links[0]?.isClosed).toBe(true);
    expect(dialer.links).toHaveLength(2);
  });

  test('an event loop that is always late still connects: it reads what has come before it gives up', () => {
    runtime.turnLate(3_000);
    dialer.last.events.ready();
    runtime.turnLate(3_000);
    dialer.last.written.at(0)?.answered('hello');

    expect(dialer.links).toHaveLength(1);
    expect(line.connections).toBe(1);
  });

  test('a call that finds nobody trying to connect fails at once', async () => {
    dialer.last.events.closed(new Error('refused'));
    dialer.last.events.closed(new Error('refused'));

    const error = await rejection(call('A'), NodeUnavailable);

    expect(error.message).toBe('there:1: not connected: refused');
    expect(error.cause).toMatchObject({ message: 'refused' });
  });

  test('a call whose deadline has passed is not made', async () => {
    dialer.last.becomeReady();

    await rejection(call('A', { inMs: 0 }), NodeUnavailable);

    expect(dialer.last.names).toEqual([]);
  });
});

describe('dialling', () => {
  test('begins again at once after a loss, then after pauses that grow', () => {
    dialer.last.becomeReady();

    const gapsMs: number[] = [];
    for (let round = 0; round < 6; round++) {
      const count = dialer.links.length;
      const sinceMs = runtime.now().monotonicMs;
      dialer.last.events.closed(new Error('reset'));
      while (dialer.links.length === count) runtime.pass(1);
      gapsMs.push(runtime.now().monotonicMs - sinceMs);
    }

    expect(gapsMs).toEqual([0, 25, 50, 100, 200, 400]);
  });

  test('begins afresh once a connection has been of use', async () => {
    for (let round = 0; round < 5; round++) {
      dialer.last.events.closed(new Error('reset'));
      runtime.pass(1_000);
    }
    dialer.last.becomeReady();
    const reply = call('A');
    written('A').answered('yes');
    await reply;
    const count = dialer.links.length;

    dialer.last.events.closed(new Error('reset'));

    expect(dialer.links).toHaveLength(count + 1);
  });
});

describe('on a connection', () => {
  beforeEach(() => dialer.last.becomeReady());

  test('an error reply is told with its code', async () => {
    const reply = call('A');
    written('A').refused('WRONGTYPE Operation against a key');

    expect(await rejection(reply, NodeReplyError)).toMatchObject({ code: 'WRONGTYPE' });
  });

  test('a reply that does not come by the deadline is a doubt, with the undo written behind', async () => {
    const reply = call('A', undo());

    runtime.pass(100);
    const doubt = await rejection(reply, NodeDoubt);

    expect(doubt.undo).toBe('ordered');
    expect(dialer.last.names).toEqual(['A', 'UNDO']);
    written('A').answered('late');
    written('UNDO').answered(1);
    expect(await doubt.undone).toBe(true);
  });

  test('an undo that the server refuses did not undo', async () => {
    const reply = call('A', undo());
    runtime.pass(100);
    const doubt = await rejection(reply, NodeDoubt);

    written('UNDO').refused('BUSY Redis is busy running a script');

    expect(await doubt.undone).toBe(false);
  });

  test('a call without an undo, or whose undo is not wanted, is in doubt without one', async () => {
    const replies = [call('A'), call('B', undo({ wanted: () => false }))];

    runtime.pass(100);

    for (const reply of replies) {
      const doubt = await rejection(reply, NodeDoubt);
      expect(doubt.undo).toBe('none');
      expect(await doubt.undone).toBe(false);
    }
    expect(dialer.last.names).toEqual(['A', 'B']);
  });

  test('deadlines are kept one by one, in whichever order they were given', async () => {
    const failed: string[] = [];
    for (const [name, inMs] of [
      ['late', 300],
      ['early', 100],
      ['middle', 200],
    ] as const) {
      call(name, { inMs }).catch(() => failed.push(name));
    }

    runtime.pass(150);
    await Promise.resolve();
    expect(failed).toEqual(['early']);
    runtime.pass(200);
    await Promise.resolve();

    expect(failed).toEqual(['early', 'middle', 'late']);
  });

  test('a thousand calls at once need one timer for their deadlines and one against silence', () => {
    const before = runtime.timersArmed;

    for (let n = 0; n < 1_000; n++) call(`C${n}`).catch(() => undefined);

    expect(runtime.timersArmed).toBe(before + 2);
  });

  test('what still waits in the library at the deadline was not written, and will not be', async () => {
    dialer.last.isCongested = true;
    const reply = call('A', undo());

    runtime.pass(100);
    await rejection(reply, NodeUnavailable);
    dialer.last.flush();

    expect(dialer.last.names).toEqual([]);
  });

  test('what leaves the library after its deadline is held back even when no timer could run', async () => {
    dialer.last.isCongested = true;
    const reply = call('A');

    runtime.block(150);
    dialer.last.flush();

    await rejection(reply, NodeUnavailable);
    expect(dialer.last.names).toEqual([]);
  });

  test('the process is kept alive while a call is open, and only then', async () => {
    expect(dialer.last.isAlive).toBe(false);
    const reply = call('A');
    expect(dialer.last.isAlive).toBe(true);

    written('A').answered(1);
    await reply;

    expect(dialer.last.isAlive).toBe(false);
  });
});

describe('when the connection is lost', () => {
  beforeEach(() => dialer.last.becomeReady());

  test('what was written is in doubt, what was not is not, and neither is sent again', async () => {
    const sent = call('A');
    dialer.last.isCongested = true;
    const unsent = call('B');

    dialer.last.events.closed(new Error('reset'));
    dialer.last.becomeReady();

    expect((await rejection(sent, NodeDoubt)).undo).toBe('none');
    await rejection(unsent, NodeUnavailable);
    expect(dialer.last.names).toEqual([]);
  });

  test('the undo goes first on the next connection, before calls that wait for it', async () => {
    const lost = call('A', undo());
    dialer.last.events.closed(new Error('reset'));
    call('B').catch(() => undefined);

    dialer.last.becomeReady();
    const doubt = await rejection(lost, NodeDoubt);

    expect(doubt.undo).toBe('unordered');
    expect(dialer.last.names).toEqual(['UNDO', 'B']);
    written('UNDO').answered(1);
    expect(await doubt.undone).toBe(true);
  });

  test('an undo that was ordered is sent again, but keeps no promise any more', async () => {
    const reply = call('A', undo());
    runtime.pass(100);
    const doubt = await rejection(reply, NodeDoubt);
    expect(doubt.undo).toBe('ordered');

    dialer.last.events.closed(new Error('reset'));
    dialer.last.becomeReady();
    written('UNDO').answered(1);

    expect(await doubt.undone).toBe(false);
  });

  test('an unordered undo lasts over as many connections as it takes', async () => {
    const lost = call('A', undo());
    dialer.last.events.closed(new Error('reset'));
    const doubt = await rejection(lost, NodeDoubt);

    dialer.last.becomeReady();
    dialer.last.events.closed(new Error('reset again'));
    runtime.pass(1_000);
    dialer.last.becomeReady();
    written('UNDO').answered(1);

    expect(await doubt.undone).toBe(true);
  });

  test('an undo is given up when its time is over, connected or not', async () => {
    const lost = call('A', undo({ keepUntilMs: 300 }));
    dialer.last.events.closed(new Error('reset'));
    const doubt = await rejection(lost, NodeDoubt);

    runtime.pass(300);
    expect(await doubt.undone).toBe(false);
    dialer.last.becomeReady();

    expect(dialer.last.names).toEqual([]);
  });

  test('a reply that an old connection still brings changes nothing', async () => {
    const old = dialer.last;
    const reply = call('A', undo());
    dialer.last.events.closed(new Error('reset'));
    const doubt = await rejection(reply, NodeDoubt);
    dialer.last.becomeReady();

    old.written.at(-1)?.refused('READONLY replica');
    const next = call('B');
    written('B').answered('yes');

    expect(await next).toBe('yes');
    expect(doubt.undo).toBe('unordered');
  });
});

describe('a silent connection', () => {
  beforeEach(() => dialer.last.becomeReady());

  test('is given up after silenceMs to twice that, and others are told', async () => {
    const reply = call('A', undo());

    runtime.pass(499);
    expect(dialer.links).toHaveLength(1);
    runtime.pass(501);

    await rejection(reply, NodeDoubt);
    expect(dialer.links).toHaveLength(2);
    expect(silences).toEqual(['there:1: silent for 500 ms or more']);
  });

  test('is one on which the oldest command has no reply: one that was sent just now does not count', () => {
    const reply = call('A', { inMs: 5_000 });
    runtime.pass(490);
    written('A').answered(1);
    call('B', { inMs: 5_000 }).catch(() => undefined);

    runtime.pass(500);

    expect(dialer.links).toHaveLength(1);
    return reply;
  });

  test('is not one whose reply an event loop that was late has yet to read', async () => {
    const reply = call('A', { inMs: 5_000 });

    runtime.turnLate(3_000);
    written('A').answered(1);
    runtime.pass(500);

    expect(await reply).toBe(1);
    expect(dialer.links).toHaveLength(1);
  });

  test('is not one that has nothing to say', () => {
    runtime.pass(60_000);

    expect(dialer.links).toHaveLength(1);
  });
});

describe('a node that turns out to be read-only', () => {
  beforeEach(() => dialer.last.becomeReady());

  test('is left once everything on the wire is answered', async () => {
    const [first, second] = [call('A'), call('B')];

    written('A').refused('READONLY replica');
    expect(await rejection(first, NodeReplyError)).toMatchObject({ code: 'READONLY' });
    await rejection(call('C'), NodeUnavailable);
    expect(dialer.links).toHaveLength(1);
    written('B').answered(1);

    expect(await second).toBe(1);
    expect(dialer.links[0]?.isClosed).toBe(true);
    expect(dialer.links).toHaveLength(2);
  });

  test('is dialled with growing pauses while it stays so', async () => {
    const seen: number[] = [];
    for (let round = 0; round < 4; round++) {
      const reply = call('A');
      written('A').refused('READONLY replica');
      await rejection(reply, NodeReplyError);
      const sinceMs = runtime.now().monotonicMs;
      while (dialer.last.isClosed) runtime.pass(1);
      seen.push(runtime.now().monotonicMs - sinceMs);
      dialer.last.becomeReady();
    }

    expect(seen).toEqual([0, 25, 50, 100]);
  });
});

describe('close', () => {
  beforeEach(() => dialer.last.becomeReady());

  test('lets calls finish, takes no new ones, and leaves no timer', async () => {
    const reply = call('A');
    const closing = line.close();
    await rejection(call('B'), NodeUnavailable);

    written('A').answered(1);
    await closing;

    expect(await reply).toBe(1);
    expect(dialer.last.isClosed).toBe(true);
    expect(runtime.timersArmed).toBe(0);
  });

  test('waits for an undo on the wire, but not for ever', async () => {
    const reply = call('A', undo());
    runtime.pass(100);
    const doubt = await rejection(reply, NodeDoubt);

    const closing = line.close();
    expect(dialer.last.isClosed).toBe(false);
    await Promise.resolve();
    runtime.pass(5_000);
    await closing;

    expect(await doubt.undone).toBe(false);
    expect(runtime.timersArmed).toBe(0);
  });
});

describe('a connection that was silent for more than ten seconds', () => {
  beforeEach(async () => {
    dialer.last.becomeReady();
    const first = call('FIRST');
    written('FIRST').answered('yes');
    await first;
  });

  test('proves that it leads somewhere before a command leaves on it', async () => {
    runtime.pass(10_001);
    const reply = call('A', { inMs: 2_000 });
    expect(dialer.last.names).toEqual(['FIRST', 'ping']);

    written('ping').answered('PONG');
    written('A').answered('yes');

    expect(await reply).toBe('yes');
  });

  test('is replaced if it does not, and what waited goes out on the next one, in no doubt', async () => {
    runtime.pass(10_001);
    const replies = [call('A', { inMs: 2_000 }), call('B', { inMs: 2_000 })];
    expect(dialer.last.names).toEqual(['FIRST', 'ping']);

    runtime.pass(200);
    expect(dialer.links.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    expect(silences).toEqual([expect.stringContaining('there:1: silent for more than 10000 ms')]);
    dialer.last.becomeReady();
    expect(dialer.last.names).toEqual(['A', 'B']);
    for (const name of ['A', 'B']) written(name).answered(name);

    expect(await Promise.all(replies)).toEqual(['A', 'B']);
    expect(dialer.links[0]?.names).toEqual(['FIRST', 'ping']);
  });

  test('is replaced too if it is reset while it proves itself', async () => {
    runtime.pass(10_001);
    const reply = call('A', { inMs: 2_000 });

    dialer.last.events.closed(new Error('reset'));
    dialer.last.becomeReady();
    written('A').answered('yes');

    expect(await reply).toBe('yes');
  });

  test('a call that has less time than the proof fails unsent, and the proof takes half of it', async () => {
    runtime.pass(10_001);
    const reply = call('A', { inMs: 10 });

    runtime.pass(5);
    expect(dialer.links).toHaveLength(2);
    runtime.pass(5);

    await rejection(reply, NodeUnavailable);
    dialer.last.becomeReady();
    expect(dialer.last.names).toEqual([]);
  });

  test('an error is a proof too: a user may have no right to send PING', async () => {
    runtime.pass(10_001);
    const reply = call('A', { inMs: 2_000 });

    written('ping').refused('NOPERM this user has no permissions');
    written('A').answered('yes');

    expect(await reply).toBe('yes');
  });

  test('is not replaced because the event loop was blocked: the reply is read first', () => {
    runtime.pass(10_001);
    void call('A', { inMs: 2_000 });

    runtime.block(1_000);
    runtime.pass(0);
    written('ping').answered('PONG');

    expect(dialer.last.names).toEqual(['FIRST', 'ping', 'A']);
  });

  test('costs nothing before it is used, and nothing if it was used a moment before', () => {
    runtime.pass(60_000);
    expect([dialer.last.names, runtime.timersArmed]).toEqual([['FIRST'], 0]);
    void call('A', { inMs: 2_000 });
    written('ping').answered('PONG');

    runtime.pass(100);
    written('A').answered('yes');
    runtime.pass(9_000);
    void call('B', { inMs: 2_000 });

    expect(dialer.last.names).toEqual(['FIRST', 'ping', 'A', 'B']);
  });

  test('whoever closes it meanwhile waits for the calls, no longer than to their deadlines', async () => {
    runtime.pass(10_001);
    const reply = call('A', { inMs: 300 });
    const closing = line.close();

    runtime.pass(300);
    await rejection(reply, NodeUnavailable);
    await closing;

    expect(dialer.links.every(({ isClosed }) => isClosed)).toBe(true);
  });
});
