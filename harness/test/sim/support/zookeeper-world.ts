import type { Acl, ZooKeeperSession } from '@holdfast/zk/port';
import {
  Network,
  type SimProcess,
  World,
  type WorldOptions,
} from '../../../src/simulator/index.ts';
import {
  type SimSessionOptions,
  SimZooKeeper,
  type SimZooKeeperOptions,
  type SimZooKeeperServer,
  simOpenSession,
} from '../../../src/simulator/stores.ts';

const LATENCY_MS = 1;
/** Long enough for everything but elections; no test waits for a whole one. */
const OPEN_MS = 5_000;

/** A world with an ensemble in it, and clients to be added. */
export class ZooKeeperWorld {
  readonly world: World;
  readonly network: Network;
  readonly ensemble: SimZooKeeper;

  constructor(options: { world?: WorldOptions; ensemble?: SimZooKeeperOptions } = {}) {
    this.world = new World({ guard: true, maxVirtualMs: 600_000, ...options.world });
    this.network = new Network(this.world, { latencyMs: LATENCY_MS });
    this.ensemble = new SimZooKeeper(this.world, this.network, options.ensemble);
  }

  /** By number, from 1; without cuts and crashes the last one leads. */
  server(number: number): SimZooKeeperServer {
    const server = this.ensemble.servers[number - 1];
    if (server === undefined) throw new Error(`there is no server ${number}`);
    return server;
  }

  /** Opens a session of a process of its own, over the given servers alone if any are given. */
  async client(name: string, options: SimSessionOptions = {}): Promise<Client> {
    const process = this.world.process(name);
    return new Client(this, process, await this.open(process, options));
  }

  /** Opens a session that is always connected to one server. */
  clientAt(name: string, server: number, timeoutMs = 4_000): Promise<Client> {
    return this.client(name, { timeoutMs, servers: [this.server(server)] });
  }

  open(process: SimProcess, options: SimSessionOptions = {}): Promise<ZooKeeperSession> {
    const open = simOpenSession(process, this.ensemble, this.network, {
      timeoutMs: 4_000,
      ...options,
    });
    return open(process.clocks.monotonicMs + OPEN_MS);
  }

  /** Lets time pass until the condition holds. */
  async until(holds: () => boolean, stepMs = 5): Promise<void> {
    while (!holds()) await this.world.advance(stepMs);
  }

  /** The contents of every running server, below a path. */
  pathsBelow(path: string): readonly (readonly string[])[] {
    const running = this.ensemble.servers.filter(({ isUp }) => isUp);
    return running.map((server) => server.paths().filter((each) => each.startsWith(`${path}/`)));
  }
}

export class Client {
  readonly session: ZooKeeperSession;
  readonly process: SimProcess;
  readonly #sim: ZooKeeperWorld;

  constructor(sim: ZooKeeperWorld, process: SimProcess, session: ZooKeeperSession) {
    this.#sim = sim;
    this.process = process;
    this.session = session;
  }

  persistent(path: string, data = '', acl?: readonly Acl[]): Promise<{ czxid: bigint }> {
    return this.session.create(path, data, { mode: 'persistent', acl });
  }

  ephemeral(path: string, data = ''): Promise<{ czxid: bigint }> {
    return this.session.create(path, data, { mode: 'ephemeral' });
  }

  async sequential(path: string): Promise<string> {
    const created = await this.session.create(path, '', { mode: 'ephemeral-sequential' });
    return created.path;
  }

  /** Waits until its session is in this state. */
  until(state: ZooKeeperSession['state']): Promise<void> {
    return this.#sim.until(() => this.session.state === state);
  }
}

/** Resolves to the code or name of a rejection; otherwise to the result. */
export async function outcome(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (!(error instanceof Error)) return error;
    return 'code' in error ? String(error.code) : error.name;
  }
}
