import { createServer, type Server } from 'node:net';
import { PortTakenError } from './server-process.ts';

export type FindPorts = (count: number) => Promise<readonly number[]>;

const TRIES = 5;

/** Starts something on free ports; tries others if another process has taken one meanwhile. */
export async function onFreePorts<T>(
  count: number,
  findPorts: FindPorts,
  start: (ports: readonly number[]) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start(await findPorts(count));
    } catch (error) {
      if (!(error instanceof PortTakenError) || tries === TRIES) throw error;
    }
  }
}

/** Returns a port on loopback on which no process listens. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('no free port on loopback');
  return port;
}

/** Returns different ports on loopback on which no process listens. */
export async function freePorts(count: number): Promise<readonly number[]> {
  // All ports are held until the last is found: a released port can be assigned again at once.
  const listeners = await Promise.all(Array.from({ length: count }, listen));
  const ports = listeners.map(portOf);
  await Promise.all(listeners.map((listener) => new Promise((done) => listener.close(done))));
  return ports;
}

function listen(): Promise<Server> {
  const listener = createServer();
  return new Promise((done, fail) => {
    listener.once('error', fail);
    listener.listen(0, '127.0.0.1', () => done(listener));
  });
}

function portOf(listener: Server): number {
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no free port on loopback');
  return address.port;
}
