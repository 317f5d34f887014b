import { execFile } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Supervisor } from '../../../processes/supervisor.ts';
import type { ServerUser } from './as-user.ts';

/** The superuser that owns the database. */
export const USER = 'holdfast';
export const DATABASE = 'postgres';
/** The name of a standby in `synchronous_standby_names` of its primary. */
const STANDBY = 'standby';
const run = promisify(execFile);

interface DataFolderOptions {
  /** The folder of the server, in which its data are. */
  readonly folder: string;
  /** Where the programs of PostgreSQL are. */
  readonly bin: string;
  readonly user: ServerUser;
  readonly password: string | undefined;
  readonly standbyOf: number | undefined;
  readonly schema: string | undefined;
}

/** The data of one server on disk: made from a template, or copied from the primary of a standby. */
export class DataFolder {
  readonly path: string;
  readonly #options: DataFolderOptions;
  /** The data of servers that have not run yet, by their schema. */
  static readonly #templates = new Map<string, Promise<string>>();

  constructor(options: DataFolderOptions) {
    this.path = join(options.folder, 'data');
    this.#options = options;
  }

  get exists(): boolean {
    return existsSync(join(this.path, 'PG_VERSION'));
  }

  /** Makes new data, while a server still uses the old; returns what puts them in place. */
  async replacement(): Promise<() => void> {
    const { folder } = this.#options;
    const empty = join(folder, 'empty');
    await this.#runAsUser('cp', ['-a', await this.#template(), empty]);
    return () => {
      renameSync(this.path, join(folder, 'lost'));
      renameSync(empty, this.path);
    };
  }

  /** A copy of a folder that is made once in this process: it takes a second of CPU, a copy a twentieth. */
  async create(): Promise<void> {
    const { standbyOf, password } = this.#options;
    if (standbyOf !== undefined) return await this.#copyFrom(standbyOf);
    await this.#runAsUser('cp', ['-a', await this.#template(), this.path]);
    if (password === undefined) return;
    const secret = password.replaceAll("'", "''");
    await this.#single(`ALTER USER ${USER} PASSWORD '${secret}'`, this.path);
    const rules = ['host all all 127.0.0.1/32 scram-sha-256', 'local all all trust', ''];
    writeFileSync(join(this.path, 'pg_hba.conf'), rules.join('\n'));
  }

  /** Also writes the settings that make it a standby. */
  async #copyFrom(port: number): Promise<void> {
    const target = `host=127.0.0.1 port=${port} user=${USER} application_name=${STANDBY}`;
    const options = [
      '-d',
      target,
      '-D',
      this.path,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
    ];
    await this.#runAsUser(join(this.#options.bin, 'pg_basebackup'), options);
  }

  #template(): Promise<string> {
    const schema = this.#options.schema ?? '';
    const known = DataFolder.#templates.get(schema) ?? this.#makeTemplate(schema);
    DataFolder.#templates.set(schema, known);
    return known;
  }

  async #makeTemplate(schema: string): Promise<string> {
    const folder = Supervisor.get().folder('holdfast-postgres-template-');
    this.#options.user.own(folder);
    const data = join(folder, 'data');
    const options = ['--no-sync', '--encoding=UTF8', '--locale=C', '--auth=trust'];
    const initdb = join(this.#options.bin, 'initdb');
    await this.#runAsUser(initdb, ['-D', data, `--username=${USER}`, ...options], folder);
    if (schema !== '') await this.#single(oneLine(schema), data);
    return data;
  }

  /** Runs SQL before the server is started. */
  async #single(sql: string, data: string): Promise<void> {
    const file = join(this.#options.folder, 'first.sql');
    writeFileSync(file, `${sql}\n`, { mode: 0o644 });
    const single = `'${join(this.#options.bin, 'postgres')}' --single -D '${data}' ${DATABASE} < '${file}'`;
    await this.#runAsUser('sh', ['-c', single]);
  }

  async #runAsUser(
    program: string,
    args: readonly string[],
    cwd = this.#options.folder,
  ): Promise<void> {
    const [command, ...before] = [...this.#options.user.through, program];
    await run(command, [...before, ...args], { cwd });
  }
}

/** A server without clients runs each line on its own. */
function oneLine(sql: string): string {
  return sql.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ').trim();
}
