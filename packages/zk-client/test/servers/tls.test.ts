import { afterAll, beforeAll, expect, test } from 'vitest';
import { CERTIFICATE, startTls } from '../../../../test/support/tls.ts';
import { failureOf, textOf, World } from './support/zk-client-world.ts';

let world: World;
let secure: Awaited<ReturnType<typeof startTls>>;
beforeAll(async () => {
  world = await World.start();
  secure = await startTls(world.server.port);
});
afterAll(async () => {
  await world.close();
  secure.server.close();
});

test('a session over TLS, by name and by address, checks the certificate', async () => {
  for (const host of ['localhost', '127.0.0.1']) {
    const session = await world.open({
      servers: [`${host}:${secure.port}`],
      tls: { ca: CERTIFICATE },
    });
    await session.create(`/${host}`, 'over TLS', { mode: 'ephemeral' });
    expect(textOf((await session.getData(`/${host}`)).data)).toBe('over TLS');
    await session.close();
  }
});

test('a certificate that no authority signed ends the opening, with the reason', async () => {
  const opening = world.open({ servers: [`localhost:${secure.port}`], tls: {}, openMs: 300 });

  const error = await failureOf(opening);

  expect(error.code).toBe('NO_SERVER');
  expect(error.message).toContain('self-signed certificate');
});

test('a server that speaks no TLS ends the opening, with the reason', async () => {
  const opening = world.open({ tls: { ca: CERTIFICATE }, openMs: 300 });

  expect((await failureOf(opening)).code).toBe('NO_SERVER');
});
