import * as grpc from '@grpc/grpc-js';
import { systemRuntime } from '@holdfast/core/backend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EtcdServer } from '../../../../harness/test/kit/real-servers.ts';
import { Connection } from '../../src/adapters/grpc/connection.ts';
import { KEEP_ALIVE, RANGE } from '../../src/adapters/grpc/messages.ts';
import { EtcdUnavailable } from '../../src/port.ts';

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
