import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Reader } from '../src/jute.ts';
import { OP } from '../src/operation.ts';
import type { NetworkSession } from '../src/session.ts';
import type { WatchEvent } from '../src/watch-event.ts';
import { rejection, Stage, stat } from './by-hand.ts';

const [CREATED, DELETED, CHANGED, CHILDREN] = [1, 2, 3, 4];

let stage: Stage;
let session: NetworkSession;
let heard: WatchEvent[];
const hear = (event: WatchEvent): void => void heard.push(event);
beforeEach(async () => {
  stage = new Stage();
  session = await stage.open();
  heard = [];
});

async function watchPresent(path: string, listener = hear): Promise<() => void> {
  const watching = session.existsWatch(path, listener);
  stage.wire.answer(stage.wire.last, stat);
  return (await watching).unwatch;
}

async function watchMissing(path: string, listener = hear): Promise<() => void> {
  const watching = session.existsWatch(path, listener);
  stage.wire.refuse(stage.wire.last, -101);
  return (await watching).unwatch;
}

async function watchChildren(path: string, listener = hear): Promise<() => void> {
  const watching = session.getChildrenWatch(path, listener);
  stage.wire.answer(stage.wire.last, (writer) => stat(writer.int(0)));
  return (await watching).unwatch;
}

const strings = (body: Reader): string[] => body.vector((each) => each.string());

test('a watch tells once', async () => {
  await watchPresent('/a');

  stage.wire.event(CHANGED, '/a');
  stage.wire.event(DELETED, '/a');

  expect(heard).toEqual([{ type: 'changed', path: '/a' }]);
});

test('a missing node is watched, too', async () => {
  await watchMissing('/a');

  stage.wire.event(CREATED, '/a');

  expect(heard).toEqual([{ type: 'created', path: '/a' }]);
});

test('a deleted node tells those who watch it and those who watch its children', async () => {
  await watchPresent('/a');
  await watchChildren('/a');

  stage.wire.event(DELETED, '/a');

  expect(heard.map(({ type }) => type)).toEqual(['deleted', 'deleted']);
});

test('children that come tell only those who watch the children', async () => {
  await watchPresent('/a');
  await watchChildren('/a');

  stage.wire.event(CHILDREN, '/a');

  expect(heard).toEqual([{ type: 'children', path: '/a' }]);
});

test('a watch event that arrives with its own reply in one packet is reported', async () => {
  const watching = session.existsWatch('/a', hear);
  stage.wire.answer(stage.wire.last, stat);
  stage.wire.event(CHANGED, '/a');

  await watching;

  expect(heard).toHaveLength(1);
});

test('a change is reported before the reply that shows it', async () => {
  await watchMissing('/a', () => order.push('event'));
  const order: string[] = [];
  const shown = session.exists('/a').then(() => order.push('shown'));

  stage.wire.event(CREATED, '/a');
  stage.wire.answer(stage.wire.last, stat);
  await shown;

  expect(order).toEqual(['event', 'shown']);
});

test('a read that fails sets no watch', async () => {
  const watching = session.getDataWatch('/a', hear);
  stage.wire.refuse(stage.wire.last, -101);
  await rejection(watching, Error);

  stage.wire.event(CREATED, '/a');

  expect(heard).toEqual([]);
});

test('all listeners of a path are called, a function added twice twice', async () => {
  await watchPresent('/a');
  await watchPresent('/a');

  stage.wire.event(CHANGED, '/a');

  expect(heard).toHaveLength(2);
});

test('one that throws neither silences the others nor harms the connection', async () => {
  const uncaught = vi.fn<(error: unknown) => void>();
  vi.stubGlobal('queueMicrotask', (run: () => void) => {
    try {
      run();
    } catch (error) {
      uncaught(error);
    }
  });
  await watchPresent('/a', () => {
    throw new Error('mine');
  });
  await watchPresent('/a');

  stage.wire.event(CHANGED, '/a');
  vi.unstubAllGlobals();

  expect(heard).toHaveLength(1);
  expect(session.state).toBe('connected');
  expect(uncaught).toHaveBeenCalledWith(new Error('mine'));
});

describe('no longer interested', () => {
  test('a listener is not called, and the last one removes the watch on the server', async () => {
    const [first, second] = [await watchPresent('/a'), await watchPresent('/a')];

    first();
    expect(stage.wire.of(OP.removeWatches)).toEqual([]);
    second();
    second();
    stage.wire.event(CHANGED, '/a');

    const [removed, ...more] = stage.wire.of(OP.removeWatches);
    expect([removed?.body.string(), removed?.body.int()]).toEqual(['/a', 2]);
    expect(more).toEqual([]);
    expect(heard).toEqual([]);
  });

  test('the server keeps its watch when a request is on its way that relies on it', async () => {
    const unwatch = await watchPresent('/a');
    const watching = session.existsWatch('/a', hear);

    unwatch();
    stage.wire.answer(stage.wire.last, stat);
    await watching;

    expect(stage.wire.of(OP.removeWatches)).toEqual([]);
    stage.wire.event(CHANGED, '/a');
    expect(heard).toHaveLength(1);
  });

  test('it may be said by another listener of the same event, in time', async () => {
    await watchPresent('/a', () => second());
    const second = await watchPresent('/a');

    stage.wire.event(CHANGED, '/a');

    expect(heard).toEqual([]);
    expect(stage.wire.of(OP.removeWatches)).toEqual([]);
  });

  test('after the event it changes nothing, also not the next watch', async () => {
    const unwatch = await watchPresent('/a');
    stage.wire.event(CHANGED, '/a');
    await watchPresent('/a');

    unwatch();

    expect(stage.wire.of(OP.removeWatches)).toEqual([]);
    stage.wire.event(CHANGED, '/a');
    expect(heard).toHaveLength(2);
  });

  test('while disconnected it is not watched again', async () => {
    const unwatch = await watchPresent('/a');
    stage.wire.lose();
    unwatch();
    stage.clock.pass(10);
    stage.wire.welcome();

    expect(stage.wire.requests).toEqual([]);
  });
});

describe('on the next connection', () => {
  test('watches are set again before anything else, as of what was seen last', async () => {
    await watchPresent('/present');
    await watchMissing('/missing');
    await watchChildren('/parent');
    session.onState((state) => {
      if (state === 'connected') void session.exists('/a').catch(() => undefined);
    });
    stage.wire.answer({ xid: -2 }, undefined, 50n);

    stage.reconnect();

    const [again, next] = stage.wire.requests;
    expect(again).toMatchObject({ xid: -8, type: OP.setWatches });
    expect(again?.body.long()).toBe(50n);
    expect([again, again, again].map((request) => request && strings(request.body))).toEqual([
      ['/present'],
      ['/missing'],
      ['/parent'],
    ]);
    expect(next?.type).toBe(OP.exists);
    stage.wire.event(DELETED, '/present');
    stage.wire.answer({ xid: -8 });
    expect(heard).toEqual([{ type: 'deleted', path: '/present' }]);
  });

  test('many watches go in several requests, each far below the largest', async () => {
    const long = 'x'.repeat(1_000);
    const paths = Array.from({ length: 300 }, (_, i) => `/${long}${i}`);
    for (const path of paths) await watchPresent(path);

    stage.reconnect();

    const again = stage.wire.of(OP.setWatches);
    expect(again.length).toBeGreaterThan(1);
    expect(again.every(({ body }) => body.left < 200_000)).toBe(true);
    const all = again.flatMap(({ body }) => [body.long(), ...strings(body)].slice(1));
    expect(all).toEqual(paths);
  });

  test('if that fails all listeners are called', async () => {
    await watchPresent('/a');
    await watchChildren('/b');

    stage.reconnect();
    stage.wire.refuse({ xid: -8 }, -6);

    expect(heard).toEqual([
      { type: 'changed', path: '/a' },
      { type: 'children', path: '/b' },
    ]);
  });
});

test.each(['expiry', 'closing'])(
  'at the end of the session, by %s, all listeners are called',
  async (end) => {
    await watchMissing('/a');
    await watchChildren('/b');

    if (end === 'closing') void session.close({ timeoutMs: 0 });
    else {
      stage.wire.lose();
      stage.clock.pass(10);
      stage.wire.expire();
    }

    expect(heard).toEqual([
      { type: 'session-ended', path: '/a' },
      { type: 'session-ended', path: '/b' },
    ]);
  },
);
