import { afterEach, beforeEach, expect, test } from 'vitest';
import { NodeReplyError, NodeUnavailable } from '../../src/port.ts';
import { failure, inMs, LIBRARIES, World } from '../kit/real-node.ts';

let world: World;
beforeEach(async () => {
  world = await World.start({ args: ['--lua-time-limit', '100'] });
});
afterEach(() => world.close());

test.each(LIBRARIES)(
  'nothing is written to another database when the server has not the one asked for, through %s',
  async (library) => {
    const node = await world.open({ library, source: `${world.proxy.url}/99` });

    const { cause } = await failure(
      node.command(['SET', 'k', 'v'], { deadlineMs: inMs(2_000) }),
      NodeUnavailable,
    );

    expect(cause).toBeInstanceOf(NodeReplyError);
    expect(await world.ask('EXISTS', 'k')).toBe(0);
  },
);

test.each(LIBRARIES)(
  'a connection made while the server is busy with a script serves its own database afterwards, through %s',
  async (library) => {
    const busy = await world.open({ source: world.server.url });
    const looping = busy
      .command(['EVAL', 'while true do end', '0'], { deadlineMs: inMs(20_000) })
      .catch(() => 'killed');
    const ask = (): Promise<unknown> => world.ask('PING').catch((error: unknown) => String(error));
    await expect.poll(ask).toContain('BUSY');
    const node = await world.open({ library, source: `${world.proxy.url}/2` });
    const ping = (): Promise<unknown> =>
      node.command(['PING'], { deadlineMs: inMs(500) }).catch((error: unknown) => String(error));
    await expect.poll(ping).toContain('not connected');

    await world.ask('SCRIPT', 'KILL');
    await looping;
    await expect.poll(ping).toBe('PONG');
    await node.command(['SET', 'k', 'v'], { deadlineMs: inMs(2_000) });

    expect(await world.ask('EXISTS', 'k')).toBe(0);
  },
);
