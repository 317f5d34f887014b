import { connect, createServer, type Socket } from 'node:net';

/** A TCP relay on loopback that holds back what a server answers. */
export interface Relay {
  readonly url: string;
  close(): void;
}

/** Passes what comes from the clients of `url` at once, and what goes back after `delayMs`. */
export async function startRelay(url: string, delayMs: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(Number(new URL(url).port), '127.0.0.1');
    join(client, server, 0);
    join(server, client, delayMs);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      sockets.add(socket);
    }
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port on loopback');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    close: () => {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function join(from: Socket, to: Socket, delayMs: number): void {
  const pass = (bytes: Buffer): void => void (to.destroyed || to.write(bytes));
  from.on('data', (bytes) => (delayMs === 0 ? pass(bytes) : setTimeout(pass, delayMs, bytes)));
  from.on('error', () => undefined);
  from.on('close', () => to.destroy());
}
