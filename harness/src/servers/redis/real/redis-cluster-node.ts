import { freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import { type CliReply, RedisCli } from './redis-cli.ts';
import { RedisServer } from './redis-server.ts';

export interface RedisClusterNodeOptions {
  /** The time after which a node counts as failed; a replica takes over after about twice as long. */
  readonly nodeTimeoutMs?: number;
  /** More arguments for each redis-server. */
  readonly args?: readonly string[];
  /** Clients, replicas and the starter itself need it. */
  readonly password?: string;
}

/** One server of a cluster. */
export class RedisClusterNode {
  readonly server: RedisServer;
  /** By default it would be 10 000 above the port of the server, which may be no port at all. */
  readonly busPort: number;
  readonly #cli: RedisCli;

  private constructor(server: RedisServer, busPort: number, password: string | undefined) {
    this.server = server;
    this.busPort = busPort;
    this.#cli = new RedisCli(server.port, password);
  }

  static async start(options: RedisClusterNodeOptions): Promise<RedisClusterNode> {
    const { nodeTimeoutMs = 500, args = [], password } = options;
    return await onFreePorts(1, freePorts, async ([bus = 0]) => {
      const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', `${nodeTimeoutMs}`];
      const where = ['--cluster-port', `${bus}`, '--cluster-announce-ip', '127.0.0.1'];
      const secret =
        password === undefined ? [] : ['--requirepass', password, '--masterauth', password];
      const soon = ['--repl-diskless-sync-delay', '0'];
      const server = await RedisServer.start({
        args: [...cluster, ...where, ...soon, ...secret, ...args],
      });
      return new RedisClusterNode(server, bus, password);
    });
  }

  get address(): string {
    return `127.0.0.1:${this.server.port}`;
  }

  /** Sends one command; an error reply rejects. */
  ask(...args: readonly string[]): Promise<CliReply> {
    return this.#cli.ask(args);
  }

  /** As `ask`, as text. */
  async read(...args: readonly string[]): Promise<string> {
    return String(await this.#cli.ask(args));
  }

  id(): Promise<string> {
    return this.read('CLUSTER', 'MYID');
  }

  close(): Promise<void> {
    this.#cli.close();
    return this.server.close();
  }
}
