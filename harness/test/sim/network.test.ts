import { expect, test } from 'vitest';
import type { Connection, ConnectionListener, Endpoint } from '../../src/sim/net/connection.ts';
import { Network, type SimProcess, World } from '../../src/simulator/index.ts';

const LATENCY_MS = 10;

/** An endpoint that accepts every connection, and records messages as they arrive. */
class Inbox implements Endpoint {
  readonly name = 'n1';
  readonly arrived: string[] = [];
  readonly connections: Connection[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  accept(connection: Connection): { readyAtUs: number; crashed: boolean } {
    this.connections.push(connection);
    return { readyAtUs: 0, crashed: false };
  }

  disconnected(): void {
    this.arrived.push(`left@${this.#world.nowMs}`);
  }

  take(what: string): void {
    this.arrived.push(`${what}@${this.#world.nowMs}`);
  }
}

/** A process with a connection to an inbox. */
class Stage {
  readonly world: World = new World({ guard: true });
  readonly network: Network = new Network(this.world, { latencyMs: LATENCY_MS });
  readonly inbox: Inbox = new Inbox(this.world);
  readonly process: SimProcess = this.world.process('a');
  readonly heard: string[] = [];

  /** Ready at twice the latency. */
  async connect(): Promise<Connection> {
    let isUp = false;
    const near: ConnectionListener = {
      ready: () => {
        isUp = true;
      },
      closed: ({ message }) => this.heard.push(`${message}@${this.world.nowMs}`),
    };
    const connection = this.network.connect(this.process, this.inbox, near);
    await this.world.advance(2 * LATENCY_MS);
    if (!isUp) throw new Error('not connected after two latencies');
    return connection;
  }

  send(connection: Connection, what: string): void {
    connection.request(what, () => this.inbox.take(what));
  }
}

test('a slow server executes every request late, and is as fast as before afterwards', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  const end = stage.network.slow([stage.inbox], 200);

  stage.send(connection, 'PING');
  await stage.world.advance(300);
  end();
  stage.send(connection, 'SET');
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['PING@230', 'SET@330']);
});

test('messages of one connection arrive in order, whatever the delay of one', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  stage.network.rule(({ label }) => (label === 'slow' ? { delayMs: 100 } : 'pass'));

  stage.send(connection, 'slow');
  stage.send(connection, 'quick');
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['slow@130', 'quick@130']);
});

test('messages of two connections overtake each other', async () => {
  const stage = new Stage();
  const [first, second] = [await stage.connect(), await stage.connect()];
  stage.network.rule(({ label }) => (label === 'slow' ? { delayMs: 100 } : 'pass'));

  stage.send(first, 'slow');
  stage.send(second, 'quick');
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['quick@50', 'slow@150']);
});

test('closing a connection does not call back messages already sent', async () => {
  const stage = new Stage();
  const connection = await stage.connect();

  stage.send(connection, 'last');
  connection.close();
  stage.send(connection, 'too late');
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['last@30', 'left@30']);
});

test('a dropped message loses everything behind it, and neither end is notified', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  stage.network.rule(({ label }) => (label === 'gone' ? 'drop' : 'pass'));

  for (const what of ['first', 'gone', 'next']) stage.send(connection, what);
  connection.close();
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['first@30']);
  expect(stage.heard).toEqual([]);
});

test('a reset loses the message, and both ends learn that the connection is over', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  stage.network.rule(({ label }) => (label === 'gone' ? 'reset' : 'pass'));

  for (const what of ['first', 'gone', 'next']) stage.send(connection, what);
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['first@30', 'left@30']);
  expect(stage.heard).toEqual(['the connection was reset@40']);
});

test('a rule counts the messages of each kind from one to another', async () => {
  const stage = new Stage();
  const seen: string[] = [];
  stage.network.rule(({ from, to, way, label, n }) => {
    seen.push(`${from}>${to} ${way} ${label} ${n}`);
    return 'pass';
  });

  const connection = await stage.connect();
  for (const what of ['x', 'y', 'x']) stage.send(connection, what);

  expect(seen).toEqual([
    'a>n1 request connect 1',
    'n1>a reply connect 1',
    'a>n1 request x 1',
    'a>n1 request y 1',
    'a>n1 request x 2',
  ]);
});

test('a removed rule says nothing any more; of several, delays add up', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  stage.network.rule(() => ({ delayMs: 5 }));
  stage.network.rule(() => ({ delayMs: 7 }));
  const remove = stage.network.rule(() => 'drop');

  remove();
  stage.send(connection, 'x');
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['x@42']);
});

test('messages that run into a cut arrive after the heal, in order, and before later ones', async () => {
  const stage = new Stage();
  const connection = await stage.connect();

  stage.world.after(5, () => {
    const heal = stage.network.cut(stage.process, stage.inbox);
    stage.world.after(95, heal);
  });
  // On its way when the route is cut; sent during the cut; sent so that it would arrive right after the heal.
  stage.send(connection, 'under way');
  stage.world.after(50, () => stage.send(connection, 'meanwhile'));
  stage.world.after(95, () => stage.send(connection, 'at the end'));
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['under way@130', 'meanwhile@130', 'at the end@130']);
});

test('a cut outlives a connection: messages that its sender sent before closing it still arrive', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  const heal = stage.network.cut(stage.process, stage.inbox);

  stage.send(connection, 'last words');
  connection.close();
  stage.world.after(60_000, heal);
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['last words@60030', 'left@60030']);
});

test('a one-way cut lets the other direction through', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  const answers: string[] = [];

  stage.network.cut(stage.inbox, stage.process, { oneWay: true });
  connection.request('x', () => {
    stage.inbox.take('x');
    connection.reply('x', stage.world.nowMs * 1000, () => answers.push('x'));
  });
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['x@30']);
  expect(answers).toEqual([]);
});

test('a route that was cut twice is open when both cuts are healed', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  const heals = [1, 2].map(() => stage.network.cut(stage.process, stage.inbox));

  stage.send(connection, 'x');
  for (const [index, heal] of heals.entries()) stage.world.after(100 * (index + 1), heal);
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['x@230']);
});

/** Cuts the route from the process to the inbox between two moments, given in ms from now. */
function cutBetween(stage: Stage, fromMs: number, untilMs: number): void {
  stage.world.after(fromMs, () => {
    const heal = stage.network.cut(stage.process, stage.inbox);
    stage.world.after(untilMs - fromMs, heal);
  });
}

test.each([
  ['that overlaps', 25],
  ['that begins while it is sent again', 32],
  ['that begins and ends while it is sent again', 32, 38],
])('what one cut held up stays in order through another %s', async (_, fromMs, untilMs = 80) => {
  const stage = new Stage();
  const connection = await stage.connect();
  const send = (what: string): void => stage.send(connection, what);
  cutBetween(stage, 0, 30);
  cutBetween(stage, fromMs, untilMs);
  stage.world.after(5, () => send('1'));
  stage.world.after(15, () => send('2'));
  stage.world.after(26, () => send('3'));
  stage.world.after(50, () => send('4'));

  await stage.world.settle();

  expect(stage.inbox.arrived.map((text) => text.replace(/@.*/, ''))).toEqual(['1', '2', '3', '4']);
});

test('a message that reached a paused process before a cut is there when it resumes', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  const answers: number[] = [];
  connection.request('x', () =>
    connection.reply('x', stage.world.nowMs * 1000, () => answers.push(stage.world.nowMs)),
  );

  stage.process.pause(100);
  stage.world.after(50, () => stage.network.cut(stage.process, stage.inbox));
  await stage.world.settle();

  expect(answers).toEqual([120]);
});

test('messages that a cut held back arrive in order, even if the far end was paused at the heal', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  const answers: string[] = [];
  const answer = (what: string): void =>
    connection.reply(what, stage.world.nowMs * 1000, () => answers.push(what));

  const heal = stage.network.cut(stage.inbox, stage.process);
  answer('before the pause');
  stage.world.after(20, () => stage.process.pause(100));
  stage.world.after(30, () => answer('meanwhile'));
  stage.world.after(60, heal);
  stage.world.after(65, () => answer('after the heal'));
  await stage.world.settle();

  expect(answers).toEqual(['before the pause', 'meanwhile', 'after the heal']);
});

test('a stall of a label delays the departure; a process that dies during it has sent nothing', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  stage.process.stallBefore('x', 1, 100);
  stage.process.stallBefore('y', 1, 100);

  stage.send(connection, 'x');
  stage.send(connection, 'y');
  stage.world.after(150, () => stage.process.crash());
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['x@130']);
});

test('a message on a connection that its process has closed is not delivered', async () => {
  const stage = new Stage();
  const connection = await stage.connect();
  const answers: string[] = [];

  connection.request('x', () =>
    connection.reply('x', stage.world.nowMs * 1000, () => answers.push('x')),
  );
  connection.close();
  await stage.world.settle();

  expect(stage.inbox.arrived).toEqual(['left@30']);
  expect(answers).toEqual([]);
});
