import { migration } from '@holdfast/postgres';
import { afterEach, expect, test } from 'vitest';
import {
  EtcdEnsemble,
  PostgresServer,
  RedisServer,
  ZooKeeperEnsemble,
} from '../../../harness/test/kit/real-servers.ts';
import type { Mutation } from '../../support/bundle.ts';
import { Clients } from './support/mode-chaos/clients.ts';
import { Resource } from './support/mode-chaos/resource.ts';
import type { StoreName } from './support/mode-chaos/stores.ts';
import {
  anyOf,
  clientInjections,
  type Injection,
  injectFor,
  sleep,
} from './support/store-chaos.ts';

const CHAOS_MS = Number(process.env['CHAOS_MS'] ?? 300_000);
/** A lock that makes a mistake shows it within seconds. */
const MISTAKEN_MS = 20_000;
const PROCESSES = 3;
/** A leader of etcd that is paused for less than a ttl ends no lease early, of whatever version it is. */
const PAUSE_MS_MAX = 1_500;

interface Server {
  readonly port: number;
  stop(): void;
  resume(): void;
}

interface Store {
  readonly servers: readonly Server[];
  close(): Promise<void>;
}

const START: Readonly<Record<StoreName, () => Promise<Store>>> = {
  'redis-simple': async () => alone(await RedisServer.start()),
  postgres: async () => {
    const server = await PostgresServer.start();
    await server.sql(migration());
    return alone(server);
  },
  etcd: () => EtcdEnsemble.start(),
  zk: () => ZooKeeperEnsemble.start(),
};
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of a record of them
const STORES = Object.keys(START) as StoreName[];

function alone(server: Server & { close(): Promise<void> }): Store {
  return { servers: [server], close: () => server.close() };
}

let store: Store | undefined;
let clients: Clients | undefined;
afterEach(async () => {
  for (const server of store?.servers ?? []) server.resume();
  await clients?.close();
  await store?.close();
  clients = undefined;
  store = undefined;
});

/** Lets clients hold in modes while faults are injected. */
async function play(name: StoreName, ms: number, mutation?: Mutation): Promise<Resource> {
  const started = await START[name]();
  store = started;
  const resource = new Resource();
  const ports = started.servers.map(({ port }) => port);
  const contending = await Clients.start({
    size: PROCESSES,
    store: name,
    ports,
    resource,
    mutation,
  });
  clients = contending;
  const pause: Injection = async () => {
    const server = anyOf(started.servers);
    server.stop();
    await sleep(PAUSE_MS_MAX * Math.random());
    server.resume();
  };
  const links = clientInjections(() => contending);
  const counts = await injectFor(ms, {
    'a server is paused': pause,
    ...links,
    ...contending.injections,
  });
  const { grants, renewals, refused } = resource;
  console.info(`${name}: ${JSON.stringify({ grants, renewals, refused, counts })}`);
  return resource;
}

test.each(STORES)(
  'on %s, under chaos, a writer holds alone, no more permits are valid than there are, and the counter is right',
  async (name) => {
    const resource = await play(name, CHAOS_MS);

    expect(resource.violations()).toEqual([]);
    expect(Math.min(...Object.values(resource.grants))).toBeGreaterThan(CHAOS_MS / 20_000);
    expect(resource.renewals).toBeGreaterThan(CHAOS_MS / 20_000);
  },
  CHAOS_MS + 120_000,
);

test.each([
  [
    'lets a writer in beside readers',
    "  free = not held or (mode == 's' and kind == 's')\n",
    "  free = not held or kind == 's'\n",
    /^client \d got write beside client \d with read$/,
  ],
  [
    'counts to one permit more than there are',
    '  free = own or used + permits <= least\n',
    '  free = own or used + permits <= least + 1\n',
    /^client \d made it 4 of 3 permits$/,
  ],
])(
  'a redis-simple that %s is noticed under the same chaos',
  async (_, find, replace, noticed) => {
    const mutation = { file: 'redis-simple/src/modes/scripts.ts', find, replace };
    const resource = await play('redis-simple', MISTAKEN_MS, mutation);

    expect(resource.violations()).toContainEqual(expect.stringMatching(noticed));
  },
  MISTAKEN_MS + 120_000,
);

test('the resource notices a reader beside a writer, a permit too many, and a lost update', () => {
  const resource = new Resource();
  const enter = (client: string, way: 'read' | 'write' | 2, token = 0n): string => {
    resource.enter(`${client}/1`, { client, way, fromMs: 1, untilMs: 5 }, token);
    return `${client}/1`;
  };
  const [writer, reader, other] = [
    enter('a', 'write', 7n),
    enter('b', 'read'),
    enter('c', 'write', 7n),
  ];
  for (const client of ['d', 'e']) enter(client, 2);

  expect(resource.write(writer, 6n)).toBe(false);
  for (const hold of [writer, other]) resource.write(hold, 7n);
  resource.leave(reader, { atMs: 4, untilMs: 5 }, 4);

  expect(resource.violations()).toEqual([
    'c lost an update: c/1',
    'b read beside a writer: b/1',
    'b got read beside a with write',
    'c got write beside a with write',
    'c got write beside b with read',
    'e made it 4 of 3 permits',
  ]);
});

test('a hold that was renewed and then lost, or whose client died, excludes others for as long as it was valid', () => {
  const resource = new Resource();
  const enter = (client: string, fromMs: number): void => {
    resource.enter(`${client}/1`, { client, way: 'write', fromMs, untilMs: fromMs + 10 });
  };
  enter('lost', 0);
  resource.renewed('lost/1', 16);
  enter('beside it', 15);
  resource.leave('lost/1', { atMs: 40, untilMs: 40 }, 40);
  enter('dead', 50);
  resource.renewed('dead/1', 66);
  resource.died('dead', 70);
  enter('beside that', 65);
  enter('after all', 80);

  expect(resource.violations()).toEqual([
    'beside it got write beside lost with write',
    'beside that got write beside dead with write',
  ]);
});

test('a hold that its client has left, lost or not survived excludes nobody any more', () => {
  const resource = new Resource();
  const enter = (client: string, fromMs: number): void => {
    resource.enter(`${client}/1`, { client, way: 'write', fromMs, untilMs: fromMs + 10 });
  };
  enter('left', 0);
  resource.leave('left/1', { atMs: 1, untilMs: 9 }, 1);
  enter('lost', 2);
  resource.leave('lost/1', { atMs: 40, untilMs: 40 }, 40);
  enter('dead', 12);
  resource.died('dead', 14);
  enter('last', 14);

  expect(resource.violations()).toEqual([]);
});
