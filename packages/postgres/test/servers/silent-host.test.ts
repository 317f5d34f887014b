import { createServer, type Socket } from 'node:net';
import { createHost } from '@holdfast/core/backend';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from '../kit.ts';

test('a host that accepts connections and says nothing keeps none of a try to listen, although the pool has no limit for it', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const pool = new pg.Pool({ host: '127.0.0.1', port: address.port, password: 'secret' });
  const { runtime } = createHost({ label: 'test' });
  const database = await openDatabase(pool, { runtime });
  const deadlineMs = runtime.now().monotonicMs + 50;

  await expect(database.listen('x', () => undefined, { deadlineMs })).rejects.toThrow('127.0.0.1');
  const [socket] = sockets;
  socket?.resume();
  const closed = new Promise((done) => socket?.once('close', done));

  await expect(closed).resolves.toBe(false);
  await database.close();
  silent.close();
}, 8_000);
