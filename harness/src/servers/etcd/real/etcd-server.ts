import { rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { type FindPorts, freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import { ServerProcess, type StartCommand } from '../../../processes/server-process.ts';
import { Supervisor } from '../../../processes/supervisor.ts';
import { type EtcdSettings, etcdArguments } from './etcd-config.ts';
import { ETCD_HINT, findEtcd } from './etcd-install.ts';

const HEALTH_MS = 500;

/** The place of a server in its cluster. */
export interface EtcdMember extends EtcdSettings {
  readonly name: string;
  readonly port: number;
  readonly peerPort: number;
  readonly healthPort: number;
  /** As etcd's `--initial-cluster`. */
  readonly cluster: string;
}

/**
 * An etcd server started on loopback, on free ports, in a folder of its own; data survive `kill` and `restart`. It ends when
 * this process does.
 */
export class EtcdServer {
  readonly port: number;
  readonly name: string;
  readonly started: StartCommand;
  readonly #folder: string;
  readonly #process: ServerProcess;

  /** Does not start it: `restart` does. */
  constructor(member: EtcdMember) {
    const command = findEtcd();
    if (command === undefined) throw new Error(`etcd is not installed: ${ETCD_HINT}`);
    const folder = Supervisor.get().folder('holdfast-etcd-');
    const args = etcdArguments(member, { ...member, folder });
    this.port = member.port;
    this.name = member.name;
    this.started = { command, args };
    this.#folder = folder;
    this.#process = new ServerProcess({
      name: `etcd on port ${member.port}`,
      folder,
      command,
      args,
      isReady: () => isHealthy(member.healthPort),
    });
  }

  /** One server alone; resolves once it serves. */
  static start(settings: EtcdSettings = {}, findPorts: FindPorts = freePorts): Promise<EtcdServer> {
    return onFreePorts(3, findPorts, async ([port = 0, peerPort = 0, healthPort = 0]) => {
      const cluster = `alone=http://127.0.0.1:${peerPort}`;
      const ports = { port, peerPort, healthPort };
      const server = new EtcdServer({ ...settings, ...ports, name: 'alone', cluster });
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
    return `etcd://${this.address}`;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Starts it again on its port with its data; resolves once it serves, which needs a majority. */
  restart(): Promise<void> {
    return this.#process.restart();
  }

  /** As `restart`, without the data. Only for a server alone. */
  async restartEmpty(): Promise<void> {
    await this.#process.end();
    rmSync(join(this.#folder, 'data'), { recursive: true, force: true });
    await this.#process.restart();
  }

  /** SIGSTOP: pauses it; its clock keeps running. */
  stop(): void {
    this.#process.stop();
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

/** True if it serves a read that a majority has to confirm. */
function isHealthy(port: number): Promise<boolean> {
  return new Promise((done) => {
    const request = get({ port, path: '/health', timeout: HEALTH_MS }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => done(false));
  });
}
