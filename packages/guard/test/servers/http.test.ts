import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fenceHeaders, HttpGuard, type Marks, memoryMarks } from '@holdfast/guard';
import express from 'express';
import Fastify, { type FastifyRequest } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';

const LATE = { key: 'orders/ä 42', fencingToken: 2n ** 53n };
const NEXT = { key: 'orders/ä 42', fencingToken: 2n ** 53n + 1n };

interface Options {
  readonly marks?: Marks;
  readonly key?: string;
  readonly required?: boolean;
}
/** Sends a request with these headers; returns status and body. */
type Send = (headers?: Record<string, string>) => Promise<readonly [number, unknown]>;

/** Serves a route that returns the token with which its handler would write. */
type Serve = (options: Options) => Promise<Send>;

const failed: express.ErrorRequestHandler = (error, _request, response, _next) => {
  response.status(500).json({ message: error.message });
};

async function throughExpress({ marks = memoryMarks({ replicas: 1 }), ...rest }: Options) {
  const guard = new HttpGuard<IncomingMessage>(marks, optionsOf(rest));
  const app = express();
  app.use(guard.express);
  app.post('/', (request, response) => {
    response.json({ token: `${guard.leaseOf(request)?.fencingToken}` });
  });
  app.use(failed);
  return listening(app);
}

async function throughFastify({ marks = memoryMarks({ replicas: 1 }), ...rest }: Options) {
  const guard = new HttpGuard<FastifyRequest>(marks, optionsOf(rest));
  const app = Fastify();
  app.addHook('preHandler', guard.fastify);
  app.post('/', async (request) => ({ token: `${guard.leaseOf(request)?.fencingToken}` }));
  await app.ready();
  return listening((request, response) => app.routing(request, response));
}

function optionsOf({ key, required }: Options) {
  return { required, ...(key === undefined ? {} : { keyOf: () => key }) };
}

async function listening(listener: RequestListener): Promise<Send> {
  const server = createServer(listener);
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return async (headers = {}) => {
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers });
    return [reply.status, await reply.json()];
  };
}

describe.each<[string, Serve]>([
  ['Express', throughExpress],
  ['Fastify', throughFastify],
])('in %s', (_, serve) => {
  test('a request of a late holder is refused, and others bring their token to the handler', async () => {
    const send = await serve({});

    expect(await send(fenceHeaders(LATE))).toEqual([200, { token: `${LATE.fencingToken}` }]);
    expect(await send(fenceHeaders(NEXT))).toEqual([200, { token: `${NEXT.fencingToken}` }]);
    expect(await send(fenceHeaders(LATE))).toEqual([
      412,
      { error: 'STALE_TOKEN', message: expect.stringContaining(`seen token ${NEXT.fencingToken}`) },
    ]);
  });

  test('requests without a token, with a malformed one, or with another key are refused', async () => {
    const send = await serve({ key: 'orders/7' });
    const malformed = { 'holdfast-key': 'orders%2F7', 'holdfast-token': '0x10' };

    expect(await send()).toMatchObject([428, { error: 'TOKEN_REQUIRED' }]);
    expect(await send(malformed)).toMatchObject([400, { error: 'TOKEN_MALFORMED' }]);
    expect(await send({ ...malformed, 'holdfast-key': '%' })).toMatchObject([400, {}]);
    expect(await send(fenceHeaders(LATE))).toMatchObject([403, { error: 'OTHER_KEY' }]);
  });

  test('a request without a token passes where none is required', async () => {
    const send = await serve({ required: false });

    expect(await send()).toEqual([200, { token: 'undefined' }]);
  });

  test('a store that fails is an error of the server, and the handler does not run', async () => {
    const down = { admit: () => Promise.reject(new Error('the store is down')) };
    const send = await serve({ marks: down });

    expect(await send(fenceHeaders(LATE))).toMatchObject([500, { message: 'the store is down' }]);
  });
});
