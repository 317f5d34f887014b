import * as grpc from '@grpc/grpc-js';
import { systemRuntime } from '@holdfast/core/backend';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { EtcdServer } from '../../../../harness/test/kit/real-servers.ts';
import { Connection } from '../../src/adapters/grpc/connection.ts';
import { KEEP_ALIVE, RANGE } from '../../src/adapters/grpc/messages.ts';
import { openGrpcClient } from '../../src/adapters/grpc.ts';
import { EtcdUnavailable, type WatchListener } from '../../src/port.ts';

const runtime = systemRuntime();
const inMs = (ms: number): number => runtime.now().monotonicMs + ms;

let server: EtcdServer;
beforeAll(async () => {
  server = await EtcdServer.start();
});
afterAll(() => server.close());

describe('a connection that another request has closed', () => {
  test('takes no request, and leaves no timer behind', async () => {
    const credentials = grpc.credentials.createInsecure();
    const timers = new Set<unknown>();
    const counting = {
      ...runtime,
      timer: (...[ms, run, options]: Parameters<typeof runtime.timer>): (() => void) => {
        const stop = runtime.timer(ms, run, options);
        timers.add(stop);
        return () => {
          timers.delete(stop);
          stop();
        };
      },
    };
    const dialling = { grpc, credentials, servername: undefined, runtime: counting };
    const connection = new Connection(server.address, dialling);
    await connection.ready(inMs(5_000));
    connection.close();

    const call = { metadata: new grpc.Metadata(), deadlineMs: inMs(60_000) };
    await expect(connection.call(RANGE, { kind: 'read', key: 'k' }, call)).rejects.toThrow(
      EtcdUnavailable,
    );
    await expect(connection.exchange(KEEP_ALIVE, 7n, call)).rejects.toThrow(EtcdUnavailable);
    expect(timers.size).toBe(0);
  });
});

describe('a watch that is ended before it has a stream', () => {
  test('leaves no stream open, which would keep the process alive', async () => {
    const client = await openGrpcClient({ servers: [server.address] }, runtime);
    const listener: WatchListener = { created() {}, deleted() {}, ended() {} };
    const isOpened = vi.spyOn(Connection.prototype, 'stream');

    client.watch('k', 1n, listener)();
    await client.range({ kind: 'read', key: 'k' }, inMs(5_000));
    await new Promise((done) => setImmediate(done));

    expect(isOpened).not.toHaveBeenCalled();
    isOpened.mockRestore();
    client.close();
  });
});
