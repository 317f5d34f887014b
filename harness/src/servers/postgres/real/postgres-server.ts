import { execFile } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type FindPorts, freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import { ServerProcess, type StartCommand } from '../../../processes/server-process.ts';
import { Supervisor } from '../../../processes/supervisor.ts';
import { type ServerUser, serverUser } from './as-user.ts';
import { findPostgres, POSTGRES_HINT } from './postgres-install.ts';

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

/** The name of a standby in `synchronous_standby_names` of its primary. */
const STANDBY = 'standby';

/** The superuser that owns the database. */
const USER = 'holdfast';
const DATABASE = 'postgres';
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
  readonly #user: ServerUser;
  readonly #process: ServerProcess;
  /** Processes that were killed and may not have exited yet. */
  readonly #dying: number[] = [];
  readonly #password: string | undefined;
  readonly #primary: number | undefined;
  readonly #schema: string | undefined;
  /** The data of servers that have not run yet, by their schema. */
  static readonly #templates = new Map<string, Promise<string>>();

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
    this.#primary = standbyOf;
    this.#schema = schema;
    this.#user = serverUser();
    this.#user.own(folder);
    const settings = Object.entries({ ...defaults(port, folder), ...config });
    const args = [
      '-D',
      this.#data,
      ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    const server = [...through, join(install.bin, 'postgres')];
    const [command = '', ...before] = [...this.#user.through, ...server];
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
    if (!existsSync(join(this.#data, 'PG_VERSION'))) await this.#initialise();
    await this.#process.restart();
  }

  /** As `restart`, without the data. It serves until the new ones are there. */
  async restartEmpty(): Promise<void> {
    const empty = join(this.#folder, 'empty');
    await this.#runAsUser('cp', ['-a', await this.#template(), empty]);
    await this.end();
    renameSync(this.#data, join(this.#folder, 'lost'));
    renameSync(empty, this.#data);
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
    const path = join(this.#data, 'pg_wal', file);
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

  get #data(): string {
    return join(this.#folder, 'data');
  }

  /** The first is the server itself. */
  #pids(): readonly number[] {
    const { pid } = this;
    return pid === undefined ? [] : [pid, ...childrenOf(pid)];
  }

  /** A copy of a folder that is made once in this process: it takes a second of CPU, a copy a twentieth. */
  async #initialise(): Promise<void> {
    if (this.#primary !== undefined) return await this.#copyFrom(this.#primary);
    await this.#runAsUser('cp', ['-a', await this.#template(), this.#data]);
    if (this.#password === undefined) return;
    const secret = this.#password.replaceAll("'", "''");
    await this.#single(`ALTER USER ${USER} PASSWORD '${secret}'`, this.#data);
    const rules = ['host all all 127.0.0.1/32 scram-sha-256', 'local all all trust', ''];
    writeFileSync(join(this.#data, 'pg_hba.conf'), rules.join('\n'));
  }

  /** Also writes the settings that make it a standby. */
  async #copyFrom(port: number): Promise<void> {
    const target = `host=127.0.0.1 port=${port} user=${USER} application_name=${STANDBY}`;
    const options = [
      '-d',
      target,
      '-D',
      this.#data,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
    ];
    await this.#runAsUser(join(this.#bin, 'pg_basebackup'), options);
  }

  #template(): Promise<string> {
    const schema = this.#schema ?? '';
    const known = PostgresServer.#templates.get(schema) ?? this.#makeTemplate(schema);
    PostgresServer.#templates.set(schema, known);
    return known;
  }

  async #makeTemplate(schema: string): Promise<string> {
    const folder = Supervisor.get().folder('holdfast-postgres-template-');
    this.#user.own(folder);
    const data = join(folder, 'data');
    const options = ['--no-sync', '--encoding=UTF8', '--locale=C', '--auth=trust'];
    const initdb = join(this.#bin, 'initdb');
    await this.#runAsUser(initdb, ['-D', data, `--username=${USER}`, ...options], folder);
    if (schema !== '') await this.#single(oneLine(schema), data);
    return data;
  }

  /** Runs SQL before the server is started. */
  async #single(sql: string, data: string): Promise<void> {
    const file = join(this.#folder, 'first.sql');
    writeFileSync(file, `${sql}\n`, { mode: 0o644 });
    const single = `'${join(this.#bin, 'postgres')}' --single -D '${data}' ${DATABASE} < '${file}'`;
    await this.#runAsUser('sh', ['-c', single]);
  }

  async #runAsUser(program: string, args: readonly string[], cwd = this.#folder): Promise<void> {
    const [command, ...before] = [...this.#user.through, program];
    await run(command, [...before, ...args], { cwd });
  }
}

/** A server without clients runs each line on its own. */
function oneLine(sql: string): string {
  return sql.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ').trim();
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

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** True until it has given its memory back. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** A session's process may have exited since it was listed. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (cause) {
    if (!isGone(cause)) throw cause;
  }
}

function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ESRCH';
}
