import type { WatchEvent } from '@holdfast/zk-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NetworkSession } from '../../src/session.ts';
import { systemNetwork } from '../../src/socket.ts';
import { Stage } from '../by-hand.ts';
import { outcomesOf, readRecording, sendScene, writeRecording } from '../support/recorded-scene.ts';
import { World } from './support/zk-client-world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

/** `ZOOKEEPER_REPLIES=make` writes what this server sends into the file that properties play again. */
const isMaking = process.env['ZOOKEEPER_REPLIES'] === 'make';

test('a real server comes to the same as its recorded replies', async () => {
  const chunks: Buffer[] = [];
  let greetingBytes = 0;
  const sockets = systemNetwork();
  const session = await NetworkSession.open({
    servers: [world.server.address],
    sessionTimeoutMs: 30_000,
    network: {
      ...sockets,
      dial: (server, events) =>
        sockets.dial(server, {
          ...events,
          bytes: (chunk) => {
            if (chunks.length === 0) greetingBytes = chunk.length;
            chunks.push(Buffer.from(chunk));
            events.bytes(chunk);
          },
        }),
    },
  });
  const events: WatchEvent[] = [];
  const live = await outcomesOf(sendScene(session, (event) => events.push(event)));
  const sent = Buffer.concat(chunks);
  await session.close();
  if (isMaking) {
    writeRecording({
      greeting: sent.subarray(0, greetingBytes).toString('hex'),
      rest: sent.subarray(greetingBytes).toString('hex'),
    });
  }

  const { greeting, rest } = readRecording();
  const stage = new Stage();
  const opening = stage.begin();
  stage.wire.events.up();
  stage.wire.events.bytes(Buffer.from(greeting, 'hex'));
  const eventsAgain: WatchEvent[] = [];
  const again = outcomesOf(sendScene(await opening, (event) => eventsAgain.push(event)));
  stage.wire.events.bytes(Buffer.from(rest, 'hex'));

  expect(await again).toEqual(live);
  expect(eventsAgain).toEqual(events);
  expect(events.map(({ type }) => type).toSorted()).toEqual(['children', 'created']);
});
