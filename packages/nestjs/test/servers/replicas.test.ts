import { EventEmitter, once } from 'node:events';
import {
  currentLease,
  HoldfastHealth,
  HoldfastModule,
  Locked,
  Locks,
  TryLocked,
} from '@holdfast/nestjs';
import { Controller, Get, type INestApplication, Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisServer } from '../../../../harness/test/kit/real-servers.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.close());

/** A worker that runs until its lease tells it to stop. */
@Injectable()
class Leader {
  readonly leads: Promise<Leader>;
  stopped: unknown;

  constructor(@Inject(Locks) locks: Locks) {
    this.leads = new Promise((leads) => {
      void locks.elect('leader', async ({ signal }) => {
        leads(this);
        await once(signal, 'abort');
        this.stopped = signal.reason;
      });
    });
  }
}

@Controller()
class Orders {
  readonly steps: EventEmitter = new EventEmitter();
  readonly terminus: HealthCheckService;
  readonly health: HoldfastHealth;

  constructor(
    @Inject(HealthCheckService) terminus: HealthCheckService,
    @Inject(HoldfastHealth) health: HoldfastHealth,
  ) {
    this.terminus = terminus;
    this.health = health;
  }

  @Get('ready')
  @HealthCheck()
  ready(): Promise<object> {
    return this.terminus.check([() => this.health.isHealthy('locks')]);
  }

  @Locked('orders/42')
  @Get('charge')
  async charge(): Promise<string> {
    this.steps.emit('inside');
    await once(this.steps, 'finish');
    return `charged, and ${currentLease().state}`;
  }

  @TryLocked('nightly', { keepMs: 60_000 })
  async nightly(): Promise<void> {
    this.steps.emit('nightly', currentLease().fencingToken);
  }
}

async function start(source: string): Promise<INestApplication> {
  @Module({
    imports: [HoldfastModule.forRoot({ source }), TerminusModule.forRoot({ logger: false })],
    controllers: [Orders],
    providers: [Leader],
  })
  class App {}
  const app = await NestFactory.create(App, { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  return app;
}

async function get(app: INestApplication, path: string): Promise<Response> {
  return await fetch(`${await app.getUrl()}/${path}`, { headers: { connection: 'close' } });
}

test('of two replicas one leads and one runs the nightly job; the other leads after its shutdown', async () => {
  const replicas = [await start(server.url), await start(server.url)];
  const leaders = replicas.map((app) => app.get(Leader));
  const tokens: unknown[] = [];
  for (const app of replicas) app.get(Orders).steps.on('nightly', (token) => tokens.push(token));
  for (const app of replicas) await app.get(Orders).nightly();
  expect(tokens).toEqual([expect.any(BigInt)]);

  const first = await Promise.race(leaders.map(({ leads }) => leads));
  const at = leaders.indexOf(first);
  await replicas[at]?.close();
  expect(first.stopped).toMatchObject({ code: 'CLOSING' });
  expect(await leaders[1 - at]?.leads).not.toBe(first);
  await replicas[1 - at]?.close();
});

test('a shutdown answers the last request under its lock, before the leader has to stop', async () => {
  const app = await start('memory:');
  const { steps } = app.get(Orders);
  const leader = await app.get(Leader).leads;
  const inside = once(steps, 'inside');
  const response = get(app, 'charge');
  await inside;
  // `close` begins the shutdown, and waits for the request.
  const closed = app.close();
  await new Promise(setImmediate);
  expect(leader.stopped).toBeUndefined();
  steps.emit('finish');

  expect(await (await response).text()).toBe('charged, and held');
  await closed;
  expect(leader.stopped).toMatchObject({ code: 'CLOSING' });
});

test('Terminus answers 200 while the store serves, and 503 when it does not', async () => {
  const own = await RedisServer.start();
  const app = await start(own.url);
  const well = await get(app, 'ready');
  expect([well.status, await well.json()]).toMatchObject([
    200,
    { info: { locks: { status: 'up' } } },
  ]);

  await own.close();
  const ill = await get(app, 'ready');
  expect([ill.status, await ill.json()]).toMatchObject([
    503,
    { error: { locks: { status: 'down', nodes: [{ ok: false }] } } },
  ]);
  await app.close();
});
