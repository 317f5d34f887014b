import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { exitOf } from './exit-of.ts';
import { freePort } from './free-ports.ts';

/** Where redis-server is: `REDIS_SERVER`, else on PATH; undefined when it is not installed. */
export function findRedisServer(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['REDIS_SERVER'];
  const candidates =
    named === undefined
      ? (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'))
      : [named];
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Tries one PING over a socket of its own: a server that answers anything has started. */
function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (up: boolean): void => {
      socket.destroy();
      done(up);
    };
    socket.setTimeout(500, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('data', () => finish(true));
    socket.once('connect', () => socket.write('PING\r\n'));
  });
}

export interface RedisServerOptions {
  /** More arguments for redis-server, for example `['--requirepass', 'secret']`. */
  readonly args?: readonly string[];
  /** Keep an append-only file, so that a restart brings the data back. Default false. */
  readonly durable?: boolean;
}

/** A redis-server of our own on loopback, on a free port, in a folder of its own. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #options: RedisServerOptions;
  #child: ChildProcess | undefined;
  /** When the killed one is gone, and its port with it. */
  #gone: Promise<unknown> = Promise.resolve();
  readonly #dieWithUs = (): void => {
    this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  };

  private constructor(port: number, folder: string, options: RedisServerOptions) {
    this.port = port;
    this.#folder = folder;
    this.#options = options;
    process.on('exit', this.#dieWithUs);
  }

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-redis-'));
    const server = new RedisServer(await freePort(), folder, options);
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it again on the same port, after `kill`; empty unless `durable`. */
  async restart(): Promise<void> {
    const binary = findRedisServer();
    if (binary === undefined)
      throw new Error('redis-server is not installed; set REDIS_SERVER or put it on PATH');
    this.kill();
    await this.#gone;
    const flags = [
      '--port',
      `${this.port}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      this.#folder,
      '--save',
      '',
    ];
    const durable = this.#options.durable === true;
    flags.push(
      '--appendonly',
      durable ? 'yes' : 'no',
      '--daemonize',
      'no',
      ...(this.#options.args ?? []),
    );
    const child = spawn(binary, flags, { stdio: 'ignore' });
    this.#child = child;
    const exited = new Promise<void>((done) => child.once('exit', () => done()));
    for (let attempt = 0; attempt < 200; attempt++) {
      if (child.exitCode !== null)
        throw new Error(`redis-server exited with ${child.exitCode} on port ${this.port}`);
      if (await answers(this.port)) return;
      await Promise.race([exited, new Promise((done) => setTimeout(done, 10))]);
    }
    this.kill();
    throw new Error(`redis-server did not answer on port ${this.port}`);
  }

  /** SIGSTOP: it stands still, its clock runs on. */
  stop(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** SIGCONT. */
  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** SIGKILL; data is gone unless `durable`. */
  kill(): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    this.#gone = exitOf(child);
    child.kill('SIGKILL');
  }

  async close(): Promise<void> {
    process.off('exit', this.#dieWithUs);
    this.kill();
    await this.#gone;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The version line of the installed server, for reports; undefined when it is not installed. */
export function redisServerVersion(): string | undefined {
  const binary = findRedisServer();
  if (binary === undefined) return undefined;
  return /v=(\S+)/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))?.[1];
}
