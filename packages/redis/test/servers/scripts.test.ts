import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RedisNode, Reply, Script } from '../../src/port.ts';
import { inMs, LIBRARIES, World } from '../kit/real-node.ts';

const echo: Script = { name: 'echo', source: 'return ARGV[1]' };
const many = Array.from({ length: 200 }, (_, at) => `${at}`);

describe.each(LIBRARIES)('over %s', (library) => {
  let world: World;
  let node: RedisNode;
  beforeEach(async () => {
    world = await World.start();
    node = await world.open({ library });
  });
  afterEach(() => world.close());

  const callAll = (): Promise<Reply[]> =>
    Promise.all(many.map((arg) => node.script(echo, [], [arg], { deadlineMs: inMs(5_000) })));

  /** The number of times the server executed a command, and of times it refused it. */
  async function counted(command: string): Promise<{ calls: number; failed: number }> {
    const stats = String(await world.ask('INFO', 'commandstats'));
    const line = stats.split('\r\n').find((each) => each.startsWith(`cmdstat_${command}:`));
    const read = (name: string): number => Number(line?.match(`${name}=(\\d+)`)?.[1] ?? 0);
    return { calls: read('calls'), failed: read('failed_calls') };
  }

  test('of many calls at once, to a server that has never seen the script, none is refused', async () => {
    expect(await callAll()).toEqual(many);

    expect(await counted('eval')).toEqual({ calls: 1, failed: 0 });
    expect(await counted('evalsha')).toEqual({ calls: many.length - 1, failed: 0 });
  });

  test('nor after it has restarted and forgotten it', async () => {
    await callAll();
    world.server.kill();
    await world.server.restart();
    await expect
      .poll(() => node.command(['PING'], { deadlineMs: inMs(5_000) }).catch(String))
      .toBe('PONG');

    expect(await callAll()).toEqual(many);

    expect(await counted('eval')).toEqual({ calls: 1, failed: 0 });
    expect(await counted('evalsha')).toEqual({ calls: many.length - 1, failed: 0 });
  });

  test('if its script cache was flushed meanwhile, every call still gets its reply', async () => {
    await callAll();
    await world.ask('SCRIPT', 'FLUSH');

    expect(await callAll()).toEqual(many);
    await callAll();

    expect(await counted('evalsha')).toMatchObject({ failed: many.length });
  });
});
