import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type FindPorts, freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import { ServerProcess, type StartCommand } from '../../../processes/server-process.ts';
import { Supervisor } from '../../../processes/supervisor.ts';
import { serverUser } from './as-user.ts';
import { DATABASE, DataFolder, USER } from './data-folder.ts';
import { findPostgres, POSTGRES_HINT } from './postgres-install.ts';
import { childrenOf, isRunning, signal } from './process-tree.ts';

export interface PostgresServerOptions {
  /** More settings of postgresql.conf, or other values for the defaults here. */
  readonly config?: Readonly<Record<string, string | number>> | undefined;
  /** The password of the user `holdfast`; default: none is asked for. */
  readonly password?: string | undefined;
  /** Makes it a standby of the server at this port, which replicates by streaming. */
  readonly standbyOf?: number | undefined;
  /** SQL that is run before it first serves, and before it serves without its data. */
  readonly schema?: string | undefined;
  /** A command that starts the server, such as `env`, with its arguments. */
  readonly through?: readonly string[] | undefined;
}

/** A place in the log of a server. */
export interface LogEnd {
  readonly file: string;
  readonly offset: number;
}

const LOOK_MS = 10;
const run = promisify(execFile);

/**
 * A PostgreSQL server started on loopback, on a free port, in a folder of its own; data survive `kill` and `restart`. It
 * ends when this process does.
 */
export class PostgresServer {
  readonly port: number;
  readonly started: StartCommand;
  readonly #folder: string;
  readonly #bin: string;
  readonly #data: DataFolder;
  readonly #process: ServerProcess;
  /** Processes that were killed and may not have exited yet. */
  readonly #dying: number[] = [];
  readonly #password: string | undefined;

  /** Does not start it: `restart` does. */
  constructor(port: number, options: PostgresServerOptions) {
    const { config, password, standbyOf, schema, through = [] } = options;
    const install = findPostgres();
    if (install === undefined) throw new Error(`PostgreSQL is not installed: ${POSTGRES_HINT}`);
    const folder = Supervisor.get().folder('holdfast-postgres-');
    this.port = port;
    this.#folder = folder;
    this.#bin = install.bin;
    this.#password = password;
    const user = serverUser();
    user.own(folder);
    this.#data = new DataFolder({ folder, bin: install.bin, user, password, standbyOf, schema });
    const settings = Object.entries({ ...defaults(port, folder), ...config });
    const args = [
      '-D',
      this.#data.path,
      ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    const server = [...through, join(install.bin, 'postgres')];
    const [command = '', ...before] = [...user.through, ...server];
    this.started = { command, args: [...before, ...args] };
    this.#process = new ServerProcess({
      ...this.started,
      name: `postgres on port ${port}`,
      folder,
      isReady: (output) => output.includes('database system is ready to accept'),
    });
  }

  /** Resolves once it serves. */
  static start(
    options: PostgresServerOptions = {},
    findPorts: FindPorts = freePorts,
  ): Promise<PostgresServer> {
    return onFreePorts(1, findPorts, async ([port = 0]) => {
      const server = new PostgresServer(port, options);
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
    const secret = this.#password === undefined ? '' : `:${encodeURIComponent(this.#password)}`;
    return `postgres://${USER}${secret}@127.0.0.1:${this.port}/${DATABASE}`;
  }

  /** Runs SQL as the superuser, and returns what psql prints: a line for each row, with `|` between columns. */
  async sql(text: string): Promise<string> {
    const socket = `postgres://${USER}@/${DATABASE}?host=${this.#folder}&port=${this.port}`;
    const args = [socket, '-XqAt', '-v', 'ON_ERROR_STOP=1', '-c', text];
    const { stdout } = await run(join(this.#bin, 'psql'), args);
    return stdout.trim();
  }

  /** Changes a setting of the running server, or sets it back; resolves once it counts. */
  async configure(name: string, value?: string): Promise<void> {
    const reset = `SELECT boot_val FROM pg_settings WHERE name = '${name}'`;
    const wanted = value ?? (await this.sql(reset));
    const change = value === undefined ? `RESET ${name}` : `SET ${name} = '${value}'`;
    await this.sql(`ALTER SYSTEM ${change}`);
    await this.sql('SELECT pg_reload_conf()');
    while ((await this.sql(`SHOW ${name}`)) !== wanted) await sleep(LOOK_MS);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Starts it again on its port, with its data; resolves once it serves. */
  async restart(): Promise<void> {
    await this.end();
    if (!this.#data.exists) await this.#data.create();
    await this.#process.restart();
  }

  /** As `restart`, without the data. It serves until the new ones are there. */
  async restartEmpty(): Promise<void> {
    const replace = await this.#data.replacement();
    await this.end();
    replace();
    await this.restart();
  }

  /** Returns the end of its log, for {@link restartTorn}. */
  async logEnd(): Promise<LogEnd> {
    const at = await this.sql('SELECT * FROM pg_walfile_name_offset(pg_current_wal_lsn())');
    const [file = '', offset] = at.split('|');
    return { file, offset: Number(offset) };
  }

  /** As `restart`, without what the log has behind this end, as after a power failure. */
  async restartTorn({ file, offset }: LogEnd): Promise<void> {
    await this.end();
    const path = join(this.#data.path, 'pg_wal', file);
    const log = readFileSync(path);
    writeFileSync(path, log.fill(0, offset));
    await this.restart();
  }

  /** Makes a standby the primary; resolves once it takes writes. */
  async promote(): Promise<void> {
    await this.sql('SELECT pg_promote()');
  }

  /** SIGSTOP to every process of the server; its clock keeps running. */
  stop(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGSTOP');
  }

  /** SIGCONT. */
  resume(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGCONT');
  }

  /** SIGKILL to every process of the server: what the log has is recovered by `restart`. */
  kill(): void {
    // A server that is stopped starts no further process after they are listed.
    if (this.pid !== undefined) signal(this.pid, 'SIGSTOP');
    // The children would notice only later that they are alone, and keep the shared memory until then.
    const children = this.#pids().slice(1);
    this.#process.kill();
    for (const pid of children) signal(pid, 'SIGKILL');
    this.#dying.push(...children);
  }

  /** As `kill`; resolves once all have exited: a server that starts before refuses the memory that is still in use. */
  async end(): Promise<void> {
    this.kill();
    await this.#process.end();
    while (this.#dying.some(isRunning)) await sleep(LOOK_MS);
    this.#dying.length = 0;
  }

  /** Ends it and removes its folder. */
  async close(): Promise<void> {
    await this.end();
    await this.#process.close();
  }

  /** The first is the server itself. */
  #pids(): readonly number[] {
    const { pid } = this;
    return pid === undefined ? [] : [pid, ...childrenOf(pid)];
  }
}

/** Data in the page cache survive kill -9; only a power failure would need fsync. */
function defaults(port: number, folder: string): Readonly<Record<string, string | number>> {
  return {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    shared_buffers: '16MB',
    max_connections: 60,
    max_wal_size: '128MB',
    autovacuum: 'off',
  };
}
