import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, onFreePorts } from '../../../../src/processes/free-ports.ts';
import { ServerProcess } from '../../../../src/processes/server-process.ts';
import { Supervisor } from '../../../../src/processes/supervisor.ts';
import { serverUser } from '../../../../src/servers/postgres/real/as-user.ts';

const run = promisify(execFile);
const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The path of a program of MariaDB; undefined if it is not installed. */
function found(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** True if the server and what initialises its data are installed. */
export const hasMariaDb =
  found('mariadbd') !== undefined && found('mariadb-install-db') !== undefined;

/** A MariaDB server started on loopback, on a free port, in a folder of its own; it ends when this process does. */
export class MariaDbServer {
  readonly port: number;
  readonly #process: ServerProcess;

  private constructor(port: number, process: ServerProcess) {
    this.port = port;
    this.#process = process;
  }

  static async start(): Promise<MariaDbServer> {
    const folder = Supervisor.get().folder('holdfast-mariadb-');
    const user = serverUser();
    user.own(folder);
    const data = join(folder, 'data');
    const [install, ...how] = [...user.through, found('mariadb-install-db') ?? ''];
    const quick = ['--no-defaults', '--skip-test-db', '--auth-root-authentication-method=normal'];
    await run(install, [...how, ...quick, `--datadir=${data}`]);
    return onFreePorts(1, freePorts, async ([port = 0]) => {
      const [command, ...before] = [...user.through, found('mariadbd') ?? ''];
      const args = [
        ...before,
        '--no-defaults',
        `--datadir=${data}`,
        `--socket=${join(folder, 'socket')}`,
        `--pid-file=${join(folder, 'pid')}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--innodb-flush-log-at-trx-commit=0',
      ];
      const process = new ServerProcess({
        command,
        args,
        name: `mariadb on port ${port}`,
        folder,
        isReady: (output) => output.includes('ready for connections'),
      });
      await process.restart();
      return new MariaDbServer(port, process);
    });
  }

  close(): Promise<void> {
    return this.#process.end();
  }
}
