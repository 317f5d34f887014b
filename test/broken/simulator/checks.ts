import {
  Network,
  RedisEngine,
  type SimProcess,
  SimRedisServer,
  simRedisNode,
  World,
} from '@holdfast/harness/simulator';
import { SimZooKeeper, simOpenSession } from '@holdfast/harness/stores';
import type { CallOptions, RedisNode } from '@holdfast/redis/port';

/** Asks whether the simulator keeps a rule. Returns what it does instead; undefined when it keeps it. */
export type Check = () => Promise<string | undefined>;

const HOPS = 60;
const TTL_MS = 1_000;

/** As deep as no counted loop of microtasks would go. */
const drains: Check = async () => {
  const world = new World();
  const a = world.process('a');
  let done = 0;
  let seen = 0;
  await world.run(async () => {
    void a.sleep(1).then(async () => {
      for (; done < HOPS; done++) await Promise.resolve();
    });
    world.after(1.001, () => {
      seen = done;
    });
    await world.advance(2);
  });
  return seen === HOPS ? undefined : `the next event came after ${seen} of ${HOPS} awaits`;
};

/** Two commands of one connection, of which the first is held up by what `delay` does to the network. */
function pairBehind(delay: (stage: RedisFixture) => Promise<void> | void): Check {
  return async () => {
    const stage = new RedisFixture();
    return await stage.world.run(async () => {
      await stage.command('PING');
      const replies: Promise<unknown>[] = [];
      const send = (...args: readonly string[]): void => void replies.push(stage.command(...args));
      stage.send = send;
      await delay(stage);
      const [, value] = await Promise.all(replies);
      return value === '1'
        ? undefined
        : `a GET overtook the SET before it, and found ${String(value)}`;
    });
  };
}

const keepsOrder = pairBehind(({ network, send }) => {
  network.rule(({ way, label }) =>
    way === 'request' && label === 'SET' ? { delayMs: 10 } : 'pass',
  );
  send('SET', 'k', '1');
  send('GET', 'k');
});

const keepsOrderAcrossCut = pairBehind(async ({ network, process, server, world, send }) => {
  const heal = network.cut(process, server);
  send('SET', 'k', '1');
  await world.advance(5);
  send('GET', 'k');
  await world.advance(0.5);
  heal();
});

/** An engine whose clock runs with every look at it. */
const freezesTime: Check = () => {
  let nowUs = 1_735_689_600_000_000;
  const engine = new RedisEngine({
    nowUs: () => (nowUs += 1_000),
    runId: '0'.repeat(40),
    publish: () => 0,
  });
  const source =
    "local a, b = redis.call('TIME'), redis.call('TIME') return {a[1] .. a[2], b[1] .. b[2]}";
  const reply = engine.execute(['EVAL', source, '0']);
  const [first, second] = Array.isArray(reply) ? reply : [];
  return Promise.resolve(
    first !== undefined && first === second
      ? undefined
      : `one script saw the time ${String(first)}, and then ${String(second)}`,
  );
};

/** A key whose ttl is far from over by every clock but the node's. */
const expiresByNode: Check = async () => {
  const stage = new RedisFixture();
  return await stage.world.run(async () => {
    await stage.command('SET', 'k', '1', 'PX', `${TTL_MS}`);
    stage.server.jumpWall(TTL_MS + 1);
    const value = await stage.command('GET', 'k');
    return value === null ? undefined : 'a key outlived its ttl by the clock of its node';
  });
};

const driftsWithNode: Check = async () => {
  const stage = new RedisFixture();
  return await stage.world.run(async () => {
    stage.server.setDrift(-500_000);
    await stage.command('SET', 'k', '1', 'PX', `${TTL_MS}`);
    await stage.world.advance(1.5 * TTL_MS);
    const value = await stage.command('GET', 'k');
    return value === '1' ? undefined : 'a key ended before its ttl by the slow clock of its node';
  });
};

const tellsWatchFirst: Check = async () => {
  const world = new World();
  const network = new Network(world, { latencyMs: 1 });
  const ensemble = new SimZooKeeper(world, network);
  const a = world.process('a');
  return await world.run(async () => {
    const open = simOpenSession(a, ensemble, network, { timeoutMs: 4_000 });
    const session = await open(a.clocks.monotonicMs + 5_000);
    const received: string[] = [];
    await session.existsWatch('/x', () => void received.push('event'));
    await session.create('/x', '', { mode: 'persistent' });
    received.push('answer');
    await world.advance(10);
    return received.join() === 'event,answer'
      ? undefined
      : `the client received ${received.join()}`;
  });
};

const firesWhenDue: Check = async () => {
  const world = new World();
  const a = world.process('a');
  return await world.run(async () => {
    const fired: number[] = [];
    for (const ms of [20, 10]) a.runtime.timer(ms, () => void fired.push(ms));
    a.pause(50);
    await world.advance(60);
    return fired.join() === '10,20' ? undefined : `after a pause timers fired as ${fired.join()}`;
  });
};

const leavesTheDead: Check = async () => {
  const world = new World();
  const a = world.process('a');
  return await world.run(async () => {
    let isReached = false;
    a.deliver(
      'message',
      () => {
        isReached = true;
      },
      10,
    );
    await world.advance(5);
    a.crash();
    await world.advance(10);
    return isReached ? 'a dead process heard something' : undefined;
  });
};

/** A simulator may be too wrong to come to any end. */
export async function saidBy(check: Check): Promise<string | undefined> {
  try {
    return await check();
  } catch (error) {
    return String(error);
  }
}

export const CHECKS = {
  drains,
  keepsOrder,
  keepsOrderAcrossCut,
  freezesTime,
  expiresByNode,
  driftsWithNode,
  tellsWatchFirst,
  firesWhenDue,
  leavesTheDead,
} as const;

/** A client and a server. */
class RedisFixture {
  readonly world = new World();
  readonly network = new Network(this.world, { latencyMs: 1 });
  readonly server = new SimRedisServer(this.world, 'n1');
  readonly process: SimProcess = this.world.process('a');
  readonly #node: RedisNode = simRedisNode(this.process, this.server, this.network);
  send: (...args: readonly string[]) => void = () => {};

  command(...args: readonly string[]): Promise<unknown> {
    const options: CallOptions = { deadlineMs: this.process.clocks.monotonicMs + 1_000 };
    return this.#node.command(args, options);
  }
}
