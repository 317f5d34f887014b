import { connect, createServer, type Server, type Socket } from 'node:net';

const PIECE = 1_024;

/** Passes what it reads in small pieces, each read before the next one is written, in a turn of its own. */
function trickle(from: Socket, to: Socket): void {
  const pieces: Buffer[] = [];
  const next = (): void => {
    const piece = pieces.shift();
    if (piece === undefined || to.destroyed) return;
    to.write(piece);
    setImmediate(() => setImmediate(next));
  };
  from.on('data', (bytes: Buffer) => {
    const isIdle = pieces.length === 0;
    for (let at = 0; at < bytes.length; at += PIECE) pieces.push(bytes.subarray(at, at + PIECE));
    if (isIdle) next();
  });
  from.on('error', () => undefined);
  from.on('close', () => to.destroy());
}

/** In front of a server, a network that makes many reads of one reply. */
export async function startTrickle(targetPort: number): Promise<Server> {
  const listener = createServer((client) => {
    const server = connect(targetPort, '127.0.0.1').setNoDelay(true);
    client.setNoDelay(true);
    trickle(client, server);
    trickle(server, client);
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  return listener;
}

export function portOf(listener: Server): number {
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return address.port;
}
