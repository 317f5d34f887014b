import type { Backend, Contender } from '@holdfast/core/backend';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Proxy } from '../../../../harness/test/kit/real-servers.ts';
import {
  attempt,
  contend,
  fenceOf,
  type Held,
  LONG_MS,
  lockOf,
  take,
  until,
  won,
} from '../../../../test/support/contending.ts';
import { Router } from './support/router.ts';
import { World } from './support/world.ts';

/** Calls may take a tenth of it: short enough to wait for, long enough for a busy machine. */
const TTL_MS = 5_000;
/** Short enough for a reply to be slower. */
const SHORT_MS = 400;

/** The place of the latest attempt n among all commands that the server executed. */
const whenTried = (executed: string[][], key: string, n: number): number =>
  executed.findLastIndex(
    (args) => args.includes(fenceOf(key)) && args.some((arg) => arg.endsWith(`:${n}:box:1`)),
  );
/** An undo as it is sent behind an attempt; what is released later is sent by EVALSHA. */
const isUndoOfFirst = (args: string[]): boolean =>
  args[0]?.toUpperCase() === 'EVAL' && args.some((arg) => /^[^:]+:1:box:1$/.test(arg));

describe.each(['ioredis', 'redis'] as const)('over %s', (library) => {
  let world: World;
  let slow: Proxy;
  let router: Router;
  let backend: Backend;

  beforeEach(async () => {
    world = await World.start();
    slow = await Proxy.start(world.server.port);
    router = await Router.start(slow.port);
    backend = await world.open({ source: router.url, library });
    // Scripts are cached and the connection is up, so that an attempt is one message on it.
    await (await take(backend, 'warm')).release();
  });
  afterEach(async () => {
    await world.close();
    await router.close();
    await slow.close();
  });

  const stored = (key: string): Promise<string | null> => world.raw.get(lockOf(key));

  /** Stalls the first attempt on its connection, with its undo behind it or without; the next attempts go round it. */
  async function stall(
    contender: Contender,
    part: 'with undo' | 'without undo',
  ): Promise<{ arrive(): Promise<void> }> {
    router.sent = '';
    slow.cut('up');
    const stalling = attempt(contender);
    await until(async () => router.sent.includes(':1:box:1'));
    if (part === 'with undo') await until(async () => /EVAL\r\n[^]*:1:box:1/.test(router.sent));
    // The client reconnects, and what it wrote before is still on its way.
    router.via = world.server.port;
    const { serverEnded } = router.disconnect();
    expect((await stalling).kind).toBe('unknown');
    return {
      arrive: async () => {
        slow.heal();
        await serverEnded;
      },
    };
  }

  test('the undo of attempt 1, arriving after attempt 2 was granted, lets no other client in', async () => {
    const executed = await world.executed();
    const contender = contend(backend, 'story', TTL_MS);
    const stalled = await stall(contender, 'with undo');
    const second = await won(contender);

    await stalled.arrive();

    const n = Number(second.owner.split(':')[1]);
    await until(async () => {
      const late = whenTried(executed, 'story', 1);
      const undone = executed.slice(late).some(isUndoOfFirst);
      return undone && late > whenTried(executed, 'story', n);
    });
    expect(await stored('story')).toBe(second.owner);
    expect((await attempt(contend(await world.open(), 'story'))).kind).toBe('busy');
    expect((await second.renew(TTL_MS)).kind).toBe('renewed');
    expect(await second.release()).toEqual({ kind: 'released' });
  });

  test('an attempt that arrives after its contender has released is undone by what follows it', async () => {
    const contender = contend(backend, 'straggler', TTL_MS);
    const stalled = await stall(contender, 'with undo');
    await (await won(contender)).release();

    await stalled.arrive();

    expect(await stored('straggler')).toBeNull();
  });

  test('an attempt that arrives with nothing behind it does not stay for its ttl', async () => {
    const contender = contend(backend, 'orphan', LONG_MS);
    const stalled = await stall(contender, 'without undo');
    await (await won(contender)).release();

    await stalled.arrive();

    await until(async () => (await stored('orphan')) === null);
    expect((await attempt(contend(backend, 'orphan'))).kind).toBe('granted');
  });

  test('an attempt whose reply is lost is undone on its own connection, long before its ttl', async () => {
    const contender = contend(backend, 'lost reply', LONG_MS);
    slow.cut('down');

    const outcome = await contender.attempt(performance.now() + 300);

    expect(outcome.kind).toBe('unknown');
    await until(async () => (await stored('lost reply')) === null);
    slow.heal();
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    expect((await attempt(contend(backend, 'lost reply'))).kind).toBe('granted');
  });

  test('an attempt whose reply is lost with its connection is undone on the next one', async () => {
    const contender = contend(backend, 'lost connection', LONG_MS);
    slow.cut('down');
    const attempting = attempt(contender);
    // The server may show the value before its reply has come as far as the cut.
    await until(async () => slow.heldBytes > 0);
    slow.heal({ drop: true });

    expect((await attempting).kind).toBe('unknown');
    await until(async () => (await stored('lost connection')) === null);
  });

  test('replies slower than the ttl never yield a lease, and leave nothing', async () => {
    slow.delay({ down: 2 * SHORT_MS });
    const contender = contend(backend, 'slow', SHORT_MS);

    for (let times = 0; times < 3; times++)
      expect(await attempt(contender)).not.toHaveProperty('grant');

    slow.heal();
    await until(async () => (await stored('slow')) === null);
    await until(async () => (await contender.withdraw()).kind === 'clean');
    expect((await attempt(contend(backend, 'slow', LONG_MS))).kind).toBe('granted');
  });

  test('while its undo has no reply a withdrawal reports how long the key may stay locked', async () => {
    const contender = contend(backend, 'unanswered', TTL_MS);
    slow.cut();
    await attempt(contender);

    const withdrawal = await contender.withdraw();

    expect(withdrawal.kind).toBe('unknown');
    const untilMs = withdrawal.kind === 'unknown' ? withdrawal.untilMs : 0;
    expect(untilMs).toBeGreaterThan(0);
    expect(untilMs).toBeLessThanOrEqual(TTL_MS * 1.11 + 2);
  });

  test('a release whose reply is lost is sent until it is answered', async () => {
    const grant = await take(backend, 'released', LONG_MS);
    slow.cut();

    expect((await grant.release()).kind).toBe('unknown');
    slow.heal({ drop: true });

    await until(async () => (await stored('released')) === null);
  });

  test('a release while the server is down is sent when it is back', async () => {
    const durable = await World.start(['--appendonly', 'yes']);
    onTestFinished(() => durable.close());
    const own = await durable.open({ source: durable.server.url, library });
    const grant = await take(own, 'down', LONG_MS);
    durable.server.kill();
    expect((await grant.release()).kind).toBe('unknown');

    await durable.server.restart();

    await until(async () => (await durable.raw.get(lockOf('down'))) === null);
  });

  test('a contender that is waiting is woken by a release, over the wire', async () => {
    const holder = await take(backend, 'woken', LONG_MS);
    const waiter = contend(await world.open({ source: world.server.url, library }), 'woken');
    expect((await attempt(waiter)).kind).toBe('busy');
    await waiter.changed?.(new AbortController().signal);
    expect((await attempt(waiter)).kind).toBe('busy');
    const woken = waiter.changed?.(new AbortController().signal);

    await holder.release();

    await woken;
    expect((await attempt(waiter)).kind).toBe('granted');
  });

  test('a waiter whose subscription was cut learns that it may have missed something', async () => {
    await take(backend, 'gap', LONG_MS);
    const waiter = contend(backend, 'gap');
    await attempt(waiter);
    await waiter.changed?.(new AbortController().signal);
    await attempt(waiter);
    const woken = waiter.changed?.(new AbortController().signal);

    slow.reset();

    expect(await woken).toBeUndefined();
  });
});

test('many contenders of one key hold it one after the other, and the tokens grow', async () => {
  const world = await World.start();
  onTestFinished(() => world.close());
  const backends = await Promise.all([
    world.open(),
    world.open({ source: world.server.url, library: 'redis' }),
  ]);
  let holders = 0;
  const tokens: bigint[] = [];
  const once = async (backend: Backend): Promise<void> => {
    const held: Held = await won(contend(backend, 'shared', 60_000));
    holders++;
    expect(holders).toBe(1);
    tokens.push(held.fencingToken);
    holders--;
    await held.release();
  };

  await Promise.all(Array.from({ length: 40 }, (_, index) => once(backends[index % 2] as Backend)));

  expect(tokens).toHaveLength(40);
  expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
});
