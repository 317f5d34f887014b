import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NodeDoubt, NodeUnavailable, type RedisNode, type Undo } from '../../src/port.ts';
import { failure, inMs, LIBRARIES, undoOfSet, World } from '../kit/real-node.ts';

describe.each(LIBRARIES)('a node through %s', (library) => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  test('a lost reply is a doubt, and the undo goes out behind the command', async () => {
    const node = await world.open({ library });
    await node.command(['PING'], { deadlineMs: inMs(2_000) });

    world.proxy.cut('down');
    const call = node.command(['SET', 'k', 'v'], {
      deadlineMs: inMs(500),
      undo: undoOfSet('k', 'v'),
    });
    const doubted = failure(call, NodeDoubt);
    await world.untilHolds('k', 'v');
    const doubt = await doubted;

    expect(doubt.undo).toBe('ordered');
    await world.untilHolds('k', null);
    world.proxy.heal();
    expect(await doubt.undone).toBe(true);
    expect(world.proxy.accepted).toBe(1);
  });

  test('a command that arrives after its deadline is undone by what is behind it', async () => {
    const node = await world.open({ library });
    await node.command(['PING'], { deadlineMs: inMs(2_000) });

    world.proxy.cut('up');
    const call = node.command(['SET', 'k', 'v'], {
      deadlineMs: inMs(100),
      undo: undoOfSet('k', 'v'),
    });
    const doubt = await failure(call, NodeDoubt);
    expect(doubt.undo).toBe('ordered');
    world.proxy.heal();

    expect(await doubt.undone).toBe(true);
    expect(await world.ask('GET', 'k')).toBeNull();
    expect(await setsExecuted(world)).toBe(1);
  });

  test('a connection reset with a command in flight is a doubt, undone first thing on the next one', async () => {
    const node = await world.open({ library });
    await node.command(['PING'], { deadlineMs: inMs(2_000) });

    world.proxy.cut('down', 'open');
    const call = node.command(['SET', 'k', 'v'], {
      deadlineMs: inMs(5_000),
      undo: undoOfSet('k', 'v'),
    });
    const doubted = failure(call, NodeDoubt);
    await world.untilHolds('k', 'v');
    world.proxy.reset('client');
    const doubt = await doubted;

    expect(doubt.undo).toBe('unordered');
    expect(await doubt.undone).toBe(true);
    expect(await world.ask('GET', 'k')).toBeNull();
  });

  test('an unordered undo, even answered, does not keep the old connection from arriving later', async () => {
    const node = await world.open({ library });
    await node.command(['PING'], { deadlineMs: inMs(2_000) });

    world.proxy.cut('up', 'open');
    const call = node.command(['SET', 'k', 'v'], {
      deadlineMs: inMs(150),
      undo: undoOfSet('k', 'v'),
    });
    const doubt = await failure(call, NodeDoubt);
    expect(doubt.undo).toBe('ordered');
    const later = node.command(['SET', 'l', 'v'], {
      deadlineMs: inMs(5_000),
      undo: undoOfSet('l', 'v'),
    });
    const laterDoubted = failure(later, NodeDoubt);
    await node.subscribe('somewhere', () => undefined);
    world.proxy.reset('client');
    const laterDoubt = await laterDoubted;
    expect(laterDoubt.undo).toBe('unordered');
    expect(await laterDoubt.undone).toBe(true);
    expect(await doubt.undone).toBe(false);
    expect(await world.ask('GET', 'l')).toBeNull();

    world.proxy.heal();

    await world.untilHolds('l', 'v');
    expect(await world.ask('GET', 'k')).toBeNull();
  });

  test('an undo that waits for the next connection is dropped when it is no longer wanted', async () => {
    const node = await world.open({ library });
    await world.ask('SET', 'k', 'v');
    let isWanted = true;
    const undo = undoOfSet('k', 'v', { wanted: () => isWanted });

    const doubt = await losingItsConnection(node, undo);
    isWanted = false;
    world.proxy.heal({ drop: true });

    expect(doubt.undo).toBe('unordered');
    expect(await doubt.undone).toBe(false);
    await untilServed(node);
    expect(await world.ask('GET', 'k')).toBe('v');
  });

  test('an undo that waits for the next connection is dropped when its time is up', async () => {
    const node = await world.open({ library });
    await world.ask('SET', 'k', 'v');
    const undo = undoOfSet('k', 'v', { keepUntilMs: inMs(300) });

    const doubt = await losingItsConnection(node, undo);
    expect(doubt.undo).toBe('unordered');
    expect(await doubt.undone).toBe(false);
    world.proxy.heal({ drop: true });

    await untilServed(node);
    expect(await world.ask('GET', 'k')).toBe('v');
  });

  /** A command whose connection is lost while it is in flight, and no other can be made until the proxy heals. */
  async function losingItsConnection(node: RedisNode, undo: Undo): Promise<NodeDoubt> {
    await node.command(['PING'], { deadlineMs: inMs(2_000) });
    world.proxy.cut();
    const call = node.command(['GET', 'k'], { deadlineMs: inMs(5_000), undo });
    const doubted = failure(call, NodeDoubt);
    await expect.poll(() => world.proxy.heldBytes).toBeGreaterThan(0);
    world.proxy.reset('client');
    return doubted;
  }

  test('a paused server leaves a doubt, and the connection works again when it resumes', async () => {
    const node = await world.open({ library });
    await node.command(['PING'], { deadlineMs: inMs(2_000) });

    world.server.stop();
    const call = node.command(['SET', 'k', 'v'], {
      deadlineMs: inMs(200),
      undo: undoOfSet('k', 'v'),
    });
    const doubt = await failure(call, NodeDoubt);
    expect(doubt.undo).toBe('ordered');
    world.server.resume();

    expect(await doubt.undone).toBe(true);
    expect(await node.command(['GET', 'k'], { deadlineMs: inMs(2_000) })).toBeNull();
    expect(world.proxy.accepted).toBe(1);
  });

  test('a server that is down is unavailable, and nothing is written when it comes back', async () => {
    const node = await world.open({ library });
    await node.command(['PING'], { deadlineMs: inMs(2_000) });
    world.server.kill();
    await expect
      .poll(() => node.command(['PING'], { deadlineMs: inMs(1_000) }).catch((e: unknown) => e), {
        timeout: 5_000,
      })
      .toBeInstanceOf(NodeUnavailable);

    const call = node.command(['SET', 'k', 'v'], { deadlineMs: inMs(60_000) });
    await failure(call, NodeUnavailable);
    await world.server.restart();

    await untilServed(node);
    expect(await setsExecuted(world)).toBe(0);
  });

  test('a black hole behind connect ends at the deadline, with nothing written', async () => {
    world.proxy.cut();
    const node = await world.open({ library, connectMs: 200 });

    const startedMs = inMs(0);
    const error = await failure(
      node.command(['SET', 'k', 'v'], { deadlineMs: inMs(100) }),
      NodeUnavailable,
    );

    expect(inMs(0) - startedMs).toBeLessThan(2_000);
    expect(error.message).toContain('deadline');
    await expect.poll(() => world.proxy.accepted).toBeGreaterThan(1);
    world.proxy.heal({ drop: true });
    await untilServed(node);
    expect(await setsExecuted(world)).toBe(0);
  });

  test('a connection that stays silent is given up, and the next one serves', async () => {
    const node = await world.open({ library, silenceMs: 200 });
    await node.command(['PING'], { deadlineMs: inMs(2_000) });

    world.proxy.cut('both', 'open');
    await failure(node.command(['GET', 'k'], { deadlineMs: inMs(50) }), NodeDoubt);

    await expect
      .poll(() => node.command(['PING'], { deadlineMs: inMs(50) }).catch(() => 'not yet'), {
        timeout: 5_000,
      })
      .toBe('PONG');
    expect(world.proxy.accepted).toBe(2);
  });

  test('a command is not written after its deadline when the event loop was blocked', async () => {
    const node = await world.open({ library });
    await node.command(['PING'], { deadlineMs: inMs(2_000) });

    const call = node.command(['SET', 'k', 'v'], { deadlineMs: inMs(20) });
    const untilMs = inMs(60);
    while (inMs(0) < untilMs);

    await failure(call, NodeUnavailable);
    await node.command(['PING'], { deadlineMs: inMs(2_000) });
    expect(await setsExecuted(world)).toBe(0);
  });

  test('what the socket did not take by the deadline is never written', async () => {
    const node = await world.open({ library, source: world.server.url, silenceMs: 60_000 });
    await node.command(['PING'], { deadlineMs: inMs(2_000) });
    const value = 'v'.repeat(256 * 1_024);

    world.server.stop();
    const calls = Array.from({ length: 100 }, (_, n) =>
      node.command(['SET', `k${n}`, value], { deadlineMs: inMs(300) }),
    );
    const outcomes = await Promise.allSettled(calls);
    world.server.resume();
    await node.command(['PING'], { deadlineMs: inMs(5_000) });

    const count = (kind: abstract new (...args: never[]) => Error): number =>
      outcomes.filter(
        ({ status, ...rest }) =>
          status === 'rejected' && 'reason' in rest && rest.reason instanceof kind,
      ).length;
    const [doubted, unwritten] = [count(NodeDoubt), count(NodeUnavailable)];
    expect(unwritten).toBeGreaterThan(0);
    expect(doubted + unwritten).toBe(100);
    expect(await setsExecuted(world)).toBe(doubted);
  });
});

/** The number of SETs that the server has executed, without the observer's own. */
async function setsExecuted(world: World): Promise<number> {
  const stats = String(await world.ask('INFO', 'commandstats'));
  return Number(/cmdstat_set:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

/** Waits until the node has found its way back. */
async function untilServed(node: RedisNode): Promise<void> {
  const ping = (): Promise<unknown> => node.command(['PING'], { deadlineMs: inMs(1_000) });
  await expect.poll(() => ping().catch(() => 'not yet')).toBe('PONG');
}
