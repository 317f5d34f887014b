import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Connection, Endpoint } from '../../src/sim/net/connection.ts';
import { Network, World } from '../../src/simulator/index.ts';

const LATENCY_MS = 10;
const SPAN_MS = 120;

const moment = fc.integer({ min: 0, max: SPAN_MS });
const during = fc.record({ fromMs: moment, ms: fc.integer({ min: 1, max: 60 }) });
/** Replies with their delays, and the faults on their way: cuts of the route, and pauses of the process. */
const weather = fc.record({
  answers: fc.array(fc.record({ atMs: moment, delayMs: fc.integer({ min: 0, max: 40 }) }), {
    minLength: 2,
    maxLength: 8,
  }),
  cuts: fc.array(during, { maxLength: 4 }),
  pauses: fc.array(during, { maxLength: 2 }),
});

test('one connection delivers all messages in the order in which they were sent, under any fault', async () => {
  await fc.assert(
    fc.asyncProperty(weather, async ({ answers, cuts, pauses }) => {
      const world = new World();
      const network = new Network(world, { latencyMs: LATENCY_MS });
      const process = world.process('a');
      const server: Endpoint = { name: 'n1', accept: () => STILL, disconnected: () => undefined };
      const connection = await connected(world, network.connect(process, server, DEAF));
      const sent: number[] = [];
      const arrived: number[] = [];
      network.rule(({ label }) => ({ delayMs: answers[Number(label)]?.delayMs ?? 0 }));
      for (const [n, { atMs }] of answers.entries())
        world.after(atMs, () => {
          sent.push(n);
          connection.reply(String(n), world.nowMs * 1000, () => arrived.push(n));
        });
      for (const { fromMs, ms } of cuts)
        world.after(fromMs, () => world.after(ms, network.cut(server, process)));
      for (const { fromMs, ms } of pauses) world.after(fromMs, () => process.pause(ms));

      await world.settle();

      expect(arrived).toEqual(sent);
    }),
    { seed: 1, numRuns: 1_000 },
  );
});

const STILL = { readyAtUs: 0, crashed: false };
const DEAF = { ready: () => undefined, closed: () => undefined };

async function connected(world: World, connection: Connection): Promise<Connection> {
  await world.advance(2 * LATENCY_MS);
  return connection;
}
