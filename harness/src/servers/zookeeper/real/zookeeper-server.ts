import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FindPorts, freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import { ServerProcess, type StartCommand } from '../../../processes/server-process.ts';
import { Supervisor } from '../../../processes/supervisor.ts';
import { javaArguments, type ZooKeeperSettings, zooKeeperConfig } from './zookeeper-config.ts';
import { findZooKeeper, ZOOKEEPER_HINT } from './zookeeper-install.ts';

export interface ZooKeeperServerOptions extends ZooKeeperSettings {
  /** A fixed port instead of a free one. */
  readonly port?: number | undefined;
  /** Its number in an ensemble. */
  readonly id?: number | undefined;
  /** A command that runs the server, put before the server's own: `['env', 'NAME=value']`. */
  readonly through?: readonly string[] | undefined;
}

const LOOK_MS = 20;
/** The folder of ZooKeeper's log and snapshots. */
const DATA = 'version-2';
const KEPT = 'kept';

/**
 * A ZooKeeper server started on loopback, on a free port, in a folder of its own; data survive `kill` and `restart`. It
 * ends when this process does.
 */
export class ZooKeeperServer {
  readonly port: number;
  readonly started: StartCommand;
  readonly #folder: string;
  readonly #process: ServerProcess;

  /** Does not start it: `restart` does. */
  constructor(port: number, options: ZooKeeperServerOptions) {
    const install = findZooKeeper();
    if (install === undefined) throw new Error(`ZooKeeper is not installed: ${ZOOKEEPER_HINT}`);
    const { java, classPath } = install;
    const folder = Supervisor.get().folder('holdfast-zookeeper-');
    const configFile = join(folder, 'zoo.cfg');
    const config = zooKeeperConfig(options, { port, folder });
    writeFileSync(configFile, config);
    if (options.id !== undefined) writeFileSync(join(folder, 'myid'), `${options.id}\n`);
    const [command, ...before] = [...(options.through ?? []), java];
    const args = [...before, ...javaArguments(options, { classPath, configFile })];
    this.port = port;
    this.started = { command, args, config };
    this.#folder = folder;
    this.#process = new ServerProcess({
      name: `ZooKeeper on port ${port}`,
      folder,
      command,
      args,
      isReady: async () =>
        (await zooKeeperMode(port)) !== undefined && (await runsIn(folder, port)),
    });
  }

  /** Resolves once it serves. */
  static start(
    options: ZooKeeperServerOptions = {},
    findPorts: FindPorts = freePorts,
  ): Promise<ZooKeeperServer> {
    const { port } = options;
    const ports = port === undefined ? findPorts : () => Promise.resolve([port]);
    return onFreePorts(1, ports, async ([free = 0]) => {
      const server = new ZooKeeperServer(free, options);
      try {
        await server.restart();
        return server;
      } catch (error) {
        await server.close();
        throw error;
      }
    });
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `zk://${this.address}`;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Undefined while it does not serve. */
  mode(): Promise<ZooKeeperMode | undefined> {
    return zooKeeperMode(this.port);
  }

  /**
   * Starts it again on its port with its data; resolves once it serves, which a member of an ensemble does only with a
   * majority.
   */
  restart(): Promise<void> {
    return this.#process.restart();
  }

  /** As `restart`, without the data: a member of an ensemble takes over its leader's data. */
  async restartEmpty(): Promise<void> {
    await this.#process.end();
    rmSync(join(this.#folder, DATA), { recursive: true, force: true });
    await this.#process.restart();
  }

  /** Copies its log as it is now, for `restartTorn`. */
  keep(): void {
    rmSync(join(this.#folder, KEPT), { recursive: true, force: true });
    cpSync(join(this.#folder, DATA), join(this.#folder, KEPT), { recursive: true });
  }

  /** As `restart`, after a power loss: everything logged since `keep` is lost. */
  async restartTorn(): Promise<void> {
    await this.#process.end();
    rmSync(join(this.#folder, DATA), { recursive: true, force: true });
    renameSync(join(this.#folder, KEPT), join(this.#folder, DATA));
    await this.#process.restart();
  }

  /** SIGSTOP: pauses it; its clock keeps running. */
  stop(): void {
    this.#process.stop();
  }

  /** Resolves once `stop` has taken effect: on a busy machine the threads of a JVM continue for a moment. */
  async stopped(): Promise<void> {
    while ((await fourLetters(this.port, 'ruok')) !== '') await sleep(LOOK_MS);
  }

  /** SIGCONT. */
  resume(): void {
    this.#process.resume();
  }

  /** SIGKILL. */
  kill(): void {
    this.#process.kill();
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

/** True if the process that listens on this port is the server started in this folder. */
async function runsIn(folder: string, port: number): Promise<boolean> {
  return (await fourLetters(port, 'envi')).split('\n').includes(`user.dir=${folder}`);
}

export type ZooKeeperMode = 'standalone' | 'leader' | 'follower';

/** Returns the mode that a server on loopback reports; undefined if it does not serve or does not reply. */
async function zooKeeperMode(port: number): Promise<ZooKeeperMode | undefined> {
  const mode = /^Mode: (\w+)$/m.exec(await fourLetters(port, 'srvr'))?.[1];
  return mode === 'standalone' || mode === 'leader' || mode === 'follower' ? mode : undefined;
}

/** Returns the reply to one of ZooKeeper's four-letter words; empty without a reply. */
export function fourLetters(port: number, word: string): Promise<string> {
  return new Promise((done) => {
    let reply = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(word));
    const finish = (): void => {
      socket.destroy();
      done(reply);
    };
    // A connection accepted before the server serves never gets a reply: request again soon instead of waiting.
    socket.setTimeout(250, finish);
    socket.setEncoding('utf8').on('data', (text: string) => (reply += text));
    socket.once('error', finish);
    socket.once('end', finish);
  });
}
