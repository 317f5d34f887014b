import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitOf, hasExited } from './exit-of.ts';
import { freePort } from './free-ports.ts';
import { javaArguments, type ZooKeeperSettings, zooKeeperConfig } from './zookeeper-config.ts';
import { findZooKeeper, ZOOKEEPER_HINT } from './zookeeper-install.ts';
import { fourLetters, type ZooKeeperMode, zooKeeperMode } from './zookeeper-mode.ts';

export interface ZooKeeperServerOptions extends ZooKeeperSettings {
  /** Another than a free one. */
  readonly port?: number | undefined;
  /** Its number in an ensemble. */
  readonly id?: number | undefined;
}

/** A start takes 0.2 to 0.4 s on an idle machine, and the Java of a busy one may take many times that. */
const START_MS = 30_000;
const LOOK_MS = 20;

/** A ZooKeeper server of our own on loopback, on a free port, in a folder of its own; data survive `kill` and `restart`. */
export class ZooKeeperServer {
  readonly port: number;
  readonly #folder: string;
  readonly #options: ZooKeeperServerOptions;
  #child: ChildProcess | undefined;
  /** When the killed one is gone, and its port with it. */
  #gone: Promise<unknown> = Promise.resolve();
  readonly #dieWithUs = (): void => {
    this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  };

  private constructor(port: number, folder: string, options: ZooKeeperServerOptions) {
    this.port = port;
    this.#folder = folder;
    this.#options = options;
    process.on('exit', this.#dieWithUs);
  }

  /** Resolves once it serves. A member of an ensemble serves only once a majority is up. */
  static async start(options: ZooKeeperServerOptions = {}): Promise<ZooKeeperServer> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-zookeeper-'));
    const port = options.port ?? (await freePort());
    const server = new ZooKeeperServer(port, folder, options);
    try {
      await server.restart();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `zk://${this.address}`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Undefined while it does not serve. */
  mode(): Promise<ZooKeeperMode | undefined> {
    return zooKeeperMode(this.port);
  }

  /** Starts it again on the same port with the data it had; resolves once it serves. */
  async restart(): Promise<void> {
    this.kill();
    await this.#gone;
    const child = await this.#spawn();
    this.#child = child;
    await this.#untilServing(child);
  }

  /** SIGSTOP: it stands still, its clock runs on. */
  stop(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** Resolves once `stop` has taken effect: on a busy machine the threads of a JVM go on for a moment. */
  async stopped(): Promise<void> {
    while ((await fourLetters(this.port, 'ruok')) !== '') await sleep(LOOK_MS);
  }

  /** SIGCONT. */
  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** SIGKILL. */
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

  async #spawn(): Promise<ChildProcess> {
    const install = findZooKeeper();
    if (install === undefined) throw new Error(`ZooKeeper is not installed: ${ZOOKEEPER_HINT}`);
    const { port } = this;
    const configFile = join(this.#folder, 'zoo.cfg');
    const text = zooKeeperConfig(this.#options, { port, folder: this.#folder });
    await writeFile(configFile, text);
    const { id } = this.#options;
    if (id !== undefined) await writeFile(join(this.#folder, 'myid'), `${id}\n`);
    const { classPath } = install;
    const errors = openSync(this.#errorFile, 'w');
    try {
      return spawn(install.java, javaArguments(this.#options, { classPath, configFile }), {
        cwd: this.#folder,
        stdio: ['ignore', 'ignore', errors],
      });
    } finally {
      closeSync(errors);
    }
  }

  async #untilServing(child: ChildProcess): Promise<void> {
    const startedAt = performance.now();
    const exited = exitOf(child);
    while ((await this.mode()) === undefined) {
      // Somebody killed it, or started it again, meanwhile.
      if (this.#child !== child) throw new Error(`ZooKeeper on port ${this.port} was killed`);
      if (hasExited(child)) throw this.#failure(`exited with ${child.exitCode}`);
      if (performance.now() - startedAt > START_MS) throw this.#failure('did not come to serve');
      await Promise.race([exited, sleep(LOOK_MS)]);
    }
  }

  #failure(what: string): Error {
    const said = readFileSync(this.#errorFile, 'utf8').trim().split('\n').slice(-5).join('\n');
    this.kill();
    return new Error(`ZooKeeper on port ${this.port} ${what}${said === '' ? '' : `: ${said}`}`);
  }

  get #errorFile(): string {
    return join(this.#folder, 'errors.txt');
  }
}
