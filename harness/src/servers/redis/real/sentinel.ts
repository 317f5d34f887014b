import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FindPorts, freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import { rawReply } from './one-shot.ts';
import { RedisServer } from './redis-server.ts';
import { areReplicasOf, replicate } from './replicas.ts';
import { SentinelProcess, type SentinelProcessOptions } from './sentinel-process.ts';

export interface SentinelDeploymentOptions {
  /** The name of the master; default `mymaster`. */
  readonly name?: string;
  /** Default 3. */
  readonly sentinels?: number;
  /** Default 2. */
  readonly replicas?: number;
  /** The time after which a silent master counts as down; default 300. A failover takes about 1.2 s more. */
  readonly downAfterMs?: number;
  /** Of the data nodes. */
  readonly password?: string;
  /** Of the sentinels. */
  readonly sentinelPassword?: string;
  /** More arguments for every data node. */
  readonly args?: readonly string[];
}

const POLL_MS = 10;
const WAIT_MS = 30_000;

/** A master, its replicas, and the sentinels that monitor them, on loopback. All end when this process does. */
export class SentinelDeployment {
  readonly name: string;
  /** The first one is the master at first. */
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly SentinelProcess[];
  readonly #password: string | undefined;

  /** Of servers and sentinels that its caller starts. */
  constructor(
    name: string,
    servers: readonly RedisServer[],
    sentinels: readonly SentinelProcess[],
    password: string | undefined,
  ) {
    this.name = name;
    this.servers = servers;
    this.sentinels = sentinels;
    this.#password = password;
  }

  /** Resolves once the replicas are in sync, and every sentinel could promote one. */
  static async start(
    options: SentinelDeploymentOptions = {},
    findPorts: FindPorts = freePorts,
  ): Promise<SentinelDeployment> {
    const { sentinels = 3 } = options;
    const servers = await startServers(options, findPorts);
    try {
      return await onFreePorts(sentinels, findPorts, (ports) =>
        startSentinels(options, servers, ports),
      );
    } catch (error) {
      await Promise.all(servers.map((server) => server.close()));
      throw error;
    }
  }

  /** `host:port` of every sentinel, as a URL lists them. */
  get hosts(): string {
    return this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  /** Without passwords. */
  get url(): string {
    return `redis+sentinel://${this.hosts}/${this.name}`;
  }

  /** Sends a command to a data node; returns the reply as it is on the wire. */
  command({ port }: RedisServer, ...args: readonly string[]): Promise<string> {
    return rawReply({ port, password: this.#password }, ...args);
  }

  /** The master that a sentinel names; the first one that runs if none is given. */
  async master(sentinel?: SentinelProcess): Promise<RedisServer> {
    for (const each of sentinel === undefined ? this.sentinels : [sentinel]) {
      const reply = await each.ask('GET-MASTER-ADDR-BY-NAME', this.name).catch(() => '');
      const found = this.servers.find(({ port }) => reply.includes(`\r\n${port}\r\n`));
      if (found !== undefined) return found;
    }
    throw new Error('no sentinel names a master');
  }

  /**
   * Starts a planned failover; resolves to the new master once most sentinels name it. The old one remains a
   * master, and takes writes, until the sentinels look again, for up to 10 s, or `recover` is called.
   */
  async failover(): Promise<RedisServer> {
    const old = await this.master();
    // One is asked: two would fail over twice. It refuses while another failover ends.
    await until('start a failover', async () => {
      for (const each of this.sentinels) {
        const reply = await each.ask('FAILOVER', this.name).catch(() => undefined);
        if (reply !== undefined) return reply.startsWith('+OK') || undefined;
      }
      return undefined;
    });
    return await this.moved(old);
  }

  /**
   * Restarts what does not run, resumes what is paused, and makes all other servers replicas of the master, as the sentinels
   * would within 10 s; resolves once they are in sync.
   */
  async recover(): Promise<void> {
    let followed: RedisServer | undefined;
    await until('have replicas in sync', async () => {
      // A sentinel that leads a failover does not end it while the new master is down: it would miss the next one. And on a
      // busy machine they may fail over once more meanwhile.
      const master = await this.#agreed();
      if (master === undefined) return undefined;
      if (master !== followed) await this.#revive(master);
      followed = master;
      return await areReplicasOf(master, this);
    });
  }

  async #revive(master: RedisServer): Promise<void> {
    const others = this.servers.filter((server) => server !== master);
    for (const server of others) server.resume();
    const down = others.filter(({ pid }) => pid === undefined);
    await Promise.all(down.map((server) => server.restart()));
    await replicate(master, this);
  }

  /** Resolves to the new master once most sentinels name one other than `old`. */
  async moved(old: RedisServer): Promise<RedisServer> {
    return await until('move', async () => {
      const named = (await this.#named()).filter((each) => each !== undefined && each !== old);
      return 2 * named.length > this.sentinels.length ? named[0] : undefined;
    });
  }

  /** Resolves once every sentinel sees `replicas` replicas that are in sync: then it could promote one. */
  async settled(replicas: number = this.servers.length - 1): Promise<void> {
    await until('settle', async () => {
      const states = this.sentinels.map((each) => isSettled(each, this.name, replicas));
      return (await Promise.all(states)).every(Boolean) || undefined;
    });
  }

  /** The master that each sentinel names, in order. */
  async #named(): Promise<readonly (RedisServer | undefined)[]> {
    return await Promise.all(
      this.sentinels.map((each) => this.master(each).catch(() => undefined)),
    );
  }

  /** The master, if all sentinels name it and none has a failover under way. */
  async #agreed(): Promise<RedisServer | undefined> {
    const [master, ...others] = await this.#named();
    const fields = await Promise.all(
      this.sentinels.map((each) => each.fields('MASTER', this.name)),
    );
    const isCalm = fields.every(([own]) => own?.get('flags') === 'master');
    return isCalm && others.every((each) => each === master) ? master : undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map((each) => each.close()));
  }
}

async function startServers(
  { replicas = 2, password, args = [] }: SentinelDeploymentOptions,
  findPorts: FindPorts,
): Promise<readonly RedisServer[]> {
  const logIn = password === undefined ? [] : ['--requirepass', password, '--masterauth', password];
  // By default the master waits 5 s for more replicas before it sends its data to the first.
  const all = ['--repl-diskless-sync-delay', '0', ...logIn, ...args];
  const starting = Array.from({ length: 1 + replicas }, () =>
    RedisServer.start({ args: all }, findPorts),
  );
  return await Promise.all(starting);
}

async function startSentinels(
  options: SentinelDeploymentOptions,
  servers: readonly RedisServer[],
  ports: readonly number[],
): Promise<SentinelDeployment> {
  const { name = 'mymaster', downAfterMs = 300, password, sentinelPassword } = options;
  const [masterPort = 0, ...replicaPorts] = servers.map(({ port }) => port);
  const identities = ports.map((port) => ({ port, id: randomBytes(20).toString('hex') }));
  const quorum = Math.floor(ports.length / 2) + 1;
  const shared = {
    name,
    masterPort,
    replicaPorts,
    quorum,
    downAfterMs,
    password,
    sentinelPassword,
  };
  const sentinels = identities.map((own) => {
    const peers = identities.filter((each) => each !== own);
    const all: SentinelProcessOptions = { ...shared, ...own, peers };
    return new SentinelProcess(all);
  });
  const deployment = new SentinelDeployment(name, servers, sentinels, password);
  try {
    const [master] = servers;
    if (master !== undefined) {
      await replicate(master, deployment);
      await until('have replicas in sync', () => areReplicasOf(master, deployment));
    }
    await Promise.all(sentinels.map((each) => each.restart()));
    await deployment.settled();
    return deployment;
  } catch (error) {
    await Promise.all(sentinels.map((each) => each.close()));
    throw error;
  }
}

async function isSettled(
  sentinel: SentinelProcess,
  name: string,
  replicas: number,
): Promise<boolean> {
  const [seen, peers] = await Promise.all([
    sentinel.fields('REPLICAS', name).catch(() => []),
    sentinel.fields('SENTINELS', name).catch(() => []),
  ]);
  const inSync = seen.filter(
    (each) => each.get('flags') === 'slave' && each.get('master-link-status') === 'ok',
  );
  return inSync.length === replicas && peers.every((each) => each.get('flags') === 'sentinel');
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const untilMs = performance.now() + WAIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > untilMs) throw new Error(`the sentinels did not ${what}`);
    await sleep(POLL_MS);
  }
}
