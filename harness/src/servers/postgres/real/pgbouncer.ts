import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, onFreePorts } from '../../../processes/free-ports.ts';
import { ServerProcess } from '../../../processes/server-process.ts';
import { Supervisor } from '../../../processes/supervisor.ts';
import { serverUser } from './as-user.ts';
import { findPgBouncer } from './postgres-install.ts';
import type { PostgresServer } from './postgres-server.ts';

export interface PgBouncerOptions {
  /** `transaction`: every transaction may get another session of the server. */
  readonly mode: 'transaction' | 'session';
}

/** A pgbouncer started on loopback before one server; it ends when this process does. */
export class PgBouncer {
  readonly url: string;
  readonly #process: ServerProcess;

  private constructor(url: string, process: ServerProcess) {
    this.url = url;
    this.#process = process;
  }

  static start(server: PostgresServer, { mode }: PgBouncerOptions): Promise<PgBouncer> {
    const binary = findPgBouncer();
    if (binary === undefined)
      throw new Error('pgbouncer is not installed; install it, or set PGBOUNCER');
    return onFreePorts(1, freePorts, async ([port = 0]) => {
      const folder = Supervisor.get().folder('holdfast-pgbouncer-');
      const user = serverUser();
      user.own(folder);
      const target = new URL(server.url);
      const file = join(folder, 'pgbouncer.ini');
      writeFileSync(file, configuration(target, port, mode));
      const [command, ...args] = [...user.through, binary, file];
      const name = `pgbouncer on port ${port}`;
      const process = new ServerProcess({ command, args, name, folder, isReady });
      await process.restart();
      target.port = `${port}`;
      return new PgBouncer(target.href, process);
    });
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

function isReady(output: string): boolean {
  return output.includes('process up');
}

function configuration(
  { hostname, port, username, pathname }: URL,
  listen: number,
  mode: PgBouncerOptions['mode'],
): string {
  return `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 10
ignore_startup_parameters = extra_float_digits
`;
}
