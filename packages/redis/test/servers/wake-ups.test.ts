import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NodeReplyError, NodeUnavailable, type RedisNode } from '../../src/port.ts';
import { failure, inMs, LIBRARIES, World } from '../kit/real-node.ts';

type Kind = 'message' | 'gap';

describe.each(LIBRARIES)('wake-ups through %s', (library) => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  const publish = (channel: string): Promise<unknown> => world.ask('PUBLISH', channel, '1');
  const listeners = async (channel: string): Promise<unknown> =>
    ((await world.ask('PUBSUB', 'NUMSUB', channel)) as unknown[])[1];

  test('a subscription is live when it resolves', async () => {
    const node = await world.open({ library });
    const heard: Kind[] = [];

    await node.subscribe('a', ({ kind }) => heard.push(kind));

    expect(await publish('a')).toBe(1);
    await expect.poll(() => heard).toEqual(['message']);
  });

  test('many listeners share one connection and one subscription', async () => {
    const node = await world.open({ library });
    const heard: string[] = [];

    const first = await node.subscribe('a', () => heard.push('first'));
    await Promise.all([
      node.subscribe('a', () => heard.push('second')),
      node.subscribe('b', () => heard.push('other')),
    ]);
    expect(await publish('a')).toBe(1);
    await expect.poll(() => heard).toEqual(['first', 'second']);
    expect(world.proxy.accepted).toBe(2);

    first.close();
    first.close();
    await publish('a');
    await expect.poll(() => heard).toEqual(['first', 'second', 'second']);
  });

  test('the last listener to leave ends the subscription, and the next begins it anew at once', async () => {
    const node = await world.open({ library });
    const heard: Kind[] = [];

    (await node.subscribe('a', () => undefined)).close();
    await expect.poll(() => listeners('a')).toBe(0);

    const again = await node.subscribe('a', () => undefined);
    again.close();
    await node.subscribe('a', ({ kind }) => heard.push(kind));
    expect(await publish('a')).toBe(1);
    await expect.poll(() => heard).toEqual(['message']);
  });

  test('a lost connection is a gap, and so is its return, after which messages come again', async () => {
    const node = await world.open({ library });
    const heard: Kind[] = [];
    await node.subscribe('a', ({ kind }) => heard.push(kind));

    world.proxy.reset();

    await expect.poll(() => heard).toEqual(['gap', 'gap']);
    expect(await publish('a')).toBe(1);
    await expect.poll(() => heard).toEqual(['gap', 'gap', 'message']);
  });

  test('a server that was killed and restarted is subscribed to again', async () => {
    const node = await world.open({ library });
    const heard: Kind[] = [];
    await node.subscribe('a', ({ kind }) => heard.push(kind));

    world.server.kill();
    await expect.poll(() => heard).toEqual(['gap']);
    await world.server.restart();

    await expect.poll(() => heard).toEqual(['gap', 'gap']);
    await expect.poll(() => listeners('a').catch(() => undefined)).toBe(1);
  });

  test('a subscriber is given up together with a command connection that has gone silent', async () => {
    const node = await world.open({ library, silenceMs: 200 });
    const heard: Kind[] = [];
    await node.command(['PING'], { deadlineMs: inMs(2_000) });
    await node.subscribe('a', ({ kind }) => heard.push(kind));

    world.proxy.cut('both', 'open');
    await node.command(['PING'], { deadlineMs: inMs(50) }).catch(() => undefined);

    await expect.poll(() => heard).toEqual(['gap', 'gap']);
    await publish('a');
    await expect.poll(() => heard).toEqual(['gap', 'gap', 'message']);
  });

  test('a subscription that cannot become live is refused, and a later one succeeds', async () => {
    world.proxy.cut();
    const node = await world.open({ library, connectMs: 200 });

    await failure(
      node.subscribe('a', () => undefined),
      NodeUnavailable,
    );
    world.proxy.heal({ drop: true });

    await expect
      .poll(
        () =>
          node
            .subscribe('a', () => undefined)
            .then(
              () => 'live',
              () => 'not yet',
            ),
        { timeout: 20_000 },
      )
      .toBe('live');
  });

  test('a channel the user may not listen to is refused, and others are not affected', async () => {
    await world.ask(
      'ACL',
      'SETUSER',
      'reader',
      'on',
      '>secret',
      '+subscribe',
      '+unsubscribe',
      'resetchannels',
      '&allowed',
    );
    const node = await world.open({
      library,
      source: `redis://reader:secret@127.0.0.1:${world.proxy.port}`,
    });

    const refused = await failure(
      node.subscribe('forbidden', () => undefined),
      NodeReplyError,
    );

    expect(refused.code).toBe('NOPERM');
    await node.subscribe('allowed', () => undefined);
  });

  test('no listener is notified after close', async () => {
    const node: RedisNode = await world.open({ library });
    const heard: Kind[] = [];
    await node.subscribe('a', ({ kind }) => heard.push(kind));

    await node.close();

    await expect.poll(() => publish('a')).toBe(0);
    await failure(
      node.subscribe('a', () => undefined),
      NodeUnavailable,
    );
    await failure(node.command(['PING'], { deadlineMs: inMs(1_000) }), NodeUnavailable);
    expect(heard.filter((kind) => kind === 'message')).toEqual([]);
  });
});
