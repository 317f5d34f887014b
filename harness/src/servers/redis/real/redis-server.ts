import { type FindPorts, freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import { ServerProcess, type StartCommand } from '../../../processes/server-process.ts';
import { Supervisor } from '../../../processes/supervisor.ts';
import { findRedisServer } from './redis-install.ts';

export interface RedisServerOptions {
  /** More arguments for redis-server, for example `['--requirepass', 'secret']`. */
  readonly args?: readonly string[];
  /** Keeps an append-only file, so that a restart brings the data back. Default false. */
  readonly durable?: boolean;
  /** A command that runs the server, put before the server's own: `['env', 'NAME=value']`. */
  readonly through?: readonly string[];
}

/** A redis-server started on loopback, on a free port, in a folder of its own; it ends when this process does. */
export class RedisServer {
  readonly port: number;
  readonly started: StartCommand;
  /** The folder of its log. */
  readonly folder: string;
  readonly #process: ServerProcess;

  private constructor(port: number, options: RedisServerOptions) {
    const binary = findRedisServer();
    if (binary === undefined)
      throw new Error('redis-server is not installed; set REDIS_SERVER or put it on PATH');
    const folder = Supervisor.get().folder('holdfast-redis-');
    const [command, ...before] = [...(options.through ?? []), binary];
    this.port = port;
    this.folder = folder;
    this.started = { command, args: [...before, ...argumentsFor(port, folder, options)] };
    this.#process = new ServerProcess({
      ...this.started,
      name: `redis-server on port ${port}`,
      folder,
      isReady: (output) => output.includes('Ready to accept connections'),
    });
  }

  static start(
    options: RedisServerOptions = {},
    findPorts: FindPorts = freePorts,
  ): Promise<RedisServer> {
    return onFreePorts(1, findPorts, async ([port = 0]) => {
      const server = new RedisServer(port, options);
      try {
        await server.restart();
        return server;
      } catch (error) {
        await server.close();
        throw error;
      }
    });
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Starts it again on its port, after `kill`; empty unless `durable`. */
  restart(): Promise<void> {
    return this.#process.restart();
  }

  /** SIGSTOP: pauses it; its clock keeps running. */
  stop(): void {
    this.#process.stop();
  }

  /** SIGCONT. */
  resume(): void {
    this.#process.resume();
  }

  /** SIGKILL; data is lost unless `durable`. */
  kill(): void {
    this.#process.kill();
  }

  /** As `kill`; resolves once it has exited. */
  end(): Promise<void> {
    return this.#process.end();
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

function argumentsFor(
  port: number,
  folder: string,
  { args = [], durable = false }: RedisServerOptions,
): readonly string[] {
  const where = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder];
  const keeps = ['--save', '', '--appendonly', durable ? 'yes' : 'no'];
  return [...where, ...keeps, '--daemonize', 'no', ...args];
}
