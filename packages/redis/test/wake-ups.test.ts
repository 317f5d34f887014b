import { beforeEach, expect, test } from 'vitest';
import { NodeUnavailable } from '../src/port.ts';
import { WakeUps } from '../src/wake-ups.ts';
import { HandDialer, HandRuntime } from './support/by-hand.ts';

let runtime: HandRuntime;
let dialer: HandDialer;
let wakeUps: WakeUps;
let heard: string[];
beforeEach(() => {
  runtime = new HandRuntime();
  dialer = new HandDialer();
  heard = [];
  wakeUps = new WakeUps({ runtime, dialer, connectMs: 1_000 });
});

const listen =
  (name: string) =>
  ({ kind }: { kind: string }): void =>
    void heard.push(`${name} ${kind}`);

/** Lets promises that are settled already take effect. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

async function live(channel: string, name: string): Promise<{ close(): void }> {
  const subscribing = wakeUps.subscribe(channel, listen(name));
  await settle();
  dialer.last.events.ready();
  await settle();
  dialer.last.confirm();
  return subscribing;
}

test('no connection is opened before somebody listens, and it alone does not keep the process alive', async () => {
  expect(dialer.links).toEqual([]);

  const subscribing = wakeUps.subscribe('c', listen('a'));
  await settle();
  expect(dialer.last).toMatchObject({ purpose: 'wake-ups', isAlive: true });
  dialer.last.events.ready();
  dialer.last.confirm();
  await subscribing;

  expect(dialer.last.isAlive).toBe(false);
});

test('an event loop that is always late still subscribes: it reads what has come before it gives up', async () => {
  const subscribing = wakeUps.subscribe('c', listen('a'));
  await settle();

  runtime.turnLate(3_000);
  dialer.last.events.ready();
  await settle();
  runtime.turnLate(3_000);
  dialer.last.confirm();
  await subscribing;

  expect(dialer.links).toHaveLength(1);
});

test('a subscription resolves when the server has confirmed it, not before', async () => {
  let isLive = false;
  const subscribing = wakeUps.subscribe('c', listen('a')).then(() => {
    isLive = true;
    return undefined;
  });
  await settle();
  dialer.last.events.ready();
  await settle();
  expect(isLive).toBe(false);

  dialer.last.confirm();
  await subscribing;

  expect(heard).toEqual([]);
});

test('every listener of the channel is told, and no other', async () => {
  await live('c', 'a');
  await wakeUps.subscribe('c', listen('b'));
  await live('d', 'other');

  dialer.last.events.published('c');

  expect(heard).toEqual(['a message', 'b message']);
  expect(dialer.last.subscribed).toEqual(['c', 'd']);
});

test('a loss is a gap at once, and another one when the subscription is live again', async () => {
  await live('c', 'a');

  dialer.last.events.closed(new Error('reset'));
  expect(heard).toEqual(['a gap']);
  dialer.last.events.ready();
  await settle();
  expect(heard).toEqual(['a gap']);
  dialer.last.confirm();
  await settle();

  expect(heard).toEqual(['a gap', 'a gap']);
});

/** It comes up, confirms, and is lost at once. */
async function flap(): Promise<void> {
  const { last } = dialer;
  last.events.ready();
  await settle();
  last.confirm();
  await settle();
  last.events.closed(new Error('reset'));
}

test('a server that ends every connection once it has confirmed is dialled with growing pauses', async () => {
  await live('c', 'a');
  dialer.last.events.closed(new Error('reset'));
  for (let round = 0; round < 6; round++) {
    await flap();
    runtime.pass(50);
  }
  expect(dialer.links).toHaveLength(5);
  runtime.pass(1_000);
  dialer.last.events.ready();
  runtime.pass(1_000);
  dialer.last.events.closed(new Error('reset'));
  runtime.pass(1_000);
  await flap();

  // One that lasted makes up for those that did not.
  expect(dialer.links).toHaveLength(8);
});

test('a subscription that is not confirmed in time is refused, and its connection given up', async () => {
  const refused = wakeUps.subscribe('c', listen('a')).catch((error: unknown) => error);
  await settle();
  dialer.last.events.ready();

  runtime.pass(1_000);

  expect(await refused).toBeInstanceOf(NodeUnavailable);
  expect(dialer.links[0]?.isClosed).toBe(true);
});

test('one who leaves while another stays does not end the subscription; the last one does', async () => {
  const first = await live('c', 'a');
  const second = await wakeUps.subscribe('c', listen('b'));

  first.close();
  first.close();
  expect(dialer.last.subscribed).toEqual(['c']);
  second.close();

  expect(dialer.last.subscribed).toEqual(['c', '-c']);
});

test('a connection that nobody listens on is not made again', async () => {
  const subscription = await live('c', 'a');
  subscription.close();

  dialer.last.events.closed(new Error('reset'));
  runtime.pass(60_000);

  expect(dialer.last.isClosed).toBe(true);
  expect(runtime.timersArmed).toBe(0);
});

test('after close nothing is told, dialled or subscribed', async () => {
  await live('c', 'a');
  heard = [];

  wakeUps.close();
  dialer.links[0]?.events.published('c');
  const refused = await wakeUps.subscribe('c', listen('b')).catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(NodeUnavailable);
  expect(heard.filter((event) => event.endsWith('message'))).toEqual([]);
  expect(runtime.timersArmed).toBe(0);
});

/** The PINGs that were sent on the latest connection. */
const pings = (): number => dialer.last.written.filter(({ args }) => args[0] === 'ping').length;

test('while somebody listens, a connection that is silent proves itself every ten seconds', async () => {
  const subscription = await live('c', 'a');

  for (let round = 1; round <= 3; round++) {
    runtime.pass(10_001);
    expect(pings()).toBe(round);
    dialer.last.written.at(-1)?.answered('PONG');
  }
  runtime.pass(5_000);
  dialer.last.events.published('c');
  runtime.pass(9_000);
  expect(pings()).toBe(3);
  subscription.close();
  runtime.pass(60_000);

  expect(pings()).toBe(3);
  expect(dialer.links).toHaveLength(1);
  expect(runtime.timersArmed).toBe(0);
});

test('a connection that nobody listens on any more when its proof comes is left alone', async () => {
  const subscription = await live('c', 'a');
  runtime.pass(10_001);

  subscription.close();
  dialer.last.written.at(-1)?.answered('PONG');
  runtime.pass(60_000);

  expect(pings()).toBe(1);
  expect(runtime.timersArmed).toBe(0);
});

test('one that does not is replaced, and its listeners learn of the gap', async () => {
  await live('c', 'a');

  runtime.pass(10_201);
  expect(dialer.links).toHaveLength(2);
  dialer.last.events.ready();
  await settle();
  dialer.last.confirm();
  await settle();

  expect(dialer.last.subscribed).toEqual(['c']);
  expect(heard).toEqual(['a gap', 'a gap']);
});

test('a subscription on a connection that was silent goes on to the next one if the proof fails', async () => {
  (await live('c', 'a')).close();
  runtime.pass(60_000);

  const subscribing = wakeUps.subscribe('d', listen('b'));
  await settle();
  expect(pings()).toBe(1);
  runtime.pass(200);
  dialer.last.events.ready();
  await settle();
  dialer.last.confirm();
  await subscribing;

  expect(dialer.links.map(({ subscribed }) => subscribed)).toEqual([['c', '-c', 'd'], ['d']]);
});
