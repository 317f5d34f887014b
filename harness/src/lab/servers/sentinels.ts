import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { ServerFactory, ServerProcess } from '../../real/index.ts';

const NAME = 'lab';
const SIZE = 3;
const QUORUM = 2;
const POLL_MS = 20;
const READY_MS = 15_000;

/** Three Sentinels that monitor one master. */
export class Sentinels {
  readonly #processes: readonly ServerProcess[];
  readonly #clients: readonly Redis[];

  private constructor(processes: readonly ServerProcess[], ports: readonly number[]) {
    this.#processes = processes;
    this.#clients = ports.map(clientAt);
  }

  /** Starts them; resolves once all know each other and the replica, so that any two could promote it. */
  static start(
    serverFactory: ServerFactory,
    masterPort: number,
    downAfterMs: number,
  ): Promise<Sentinels> {
    return serverFactory.onFreePorts(SIZE, async (ports) => {
      const processes = ports.map((port) => sentinel(serverFactory, port, masterPort, downAfterMs));
      const sentinels = new Sentinels(processes, ports);
      try {
        await Promise.all(processes.map((each) => each.restart()));
        await sentinels.#converged();
        return sentinels;
      } catch (error) {
        await sentinels.close();
        throw error;
      }
    });
  }

  /** Resolves to the port of the new master, once any Sentinel reports one other than `oldPort`. */
  async masterMoved(oldPort: number, signal: AbortSignal): Promise<number | undefined> {
    while (!signal.aborted) {
      const ports = await Promise.all(this.#clients.map(masterOf));
      const port = ports.find((each) => each !== undefined && each !== oldPort);
      if (port !== undefined) return port;
      await sleep(POLL_MS);
    }
    return undefined;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    await Promise.all(this.#processes.map((each) => each.close()));
  }

  async #converged(): Promise<void> {
    const untilMs = performance.now() + READY_MS;
    for (;;) {
      const states = await Promise.all(this.#clients.map(stateOf));
      if (states.every(({ peers, replicas }) => peers === SIZE - 1 && replicas > 0)) return;
      if (performance.now() > untilMs) throw new Error('the Sentinels did not find each other');
      await sleep(POLL_MS);
    }
  }
}

function sentinel(
  serverFactory: ServerFactory,
  port: number,
  masterPort: number,
  downAfterMs: number,
): ServerProcess {
  if (serverFactory.redis === undefined) throw new Error('redis-server is not installed');
  const folder = serverFactory.folder('holdfast-sentinel-');
  const file = join(folder, 'sentinel.conf');
  const config = configuration(port, folder, masterPort, downAfterMs);
  writeFileSync(file, config);
  return serverFactory.process({
    name: `Sentinel on port ${port}`,
    folder,
    command: serverFactory.redis.binary,
    args: [file, '--sentinel'],
    config,
    isReady: (output) => output.includes('Sentinel ID is'),
  });
}

function configuration(
  port: number,
  folder: string,
  masterPort: number,
  downAfterMs: number,
): string {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
    `sentinel failover-timeout ${NAME} 2000`,
    `sentinel parallel-syncs ${NAME} 1`,
    '',
  ].join('\n');
}

function clientAt(port: number): Redis {
  const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  return client;
}

async function masterOf(client: Redis): Promise<number | undefined> {
  try {
    const reply = await client.call('SENTINEL', 'get-master-addr-by-name', NAME);
    return Array.isArray(reply) ? Number(reply[1]) : undefined;
  } catch {
    return undefined;
  }
}

async function stateOf(client: Redis): Promise<{ peers: number; replicas: number }> {
  try {
    const reply = await client.call('SENTINEL', 'master', NAME);
    const fields: readonly unknown[] = Array.isArray(reply) ? reply : [];
    const numberOf = (name: string): number => Number(fields[fields.indexOf(name) + 1] ?? 0);
    return { peers: numberOf('num-other-sentinels'), replicas: numberOf('num-slaves') };
  } catch {
    return { peers: 0, replicas: 0 };
  }
}
