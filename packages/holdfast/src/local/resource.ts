import type { ChildProcess } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import type { ChildProcesses } from './child-processes.ts';

/** The resource process, as the command sees it. */
export class Resource {
  readonly port: number;
  readonly logPath: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, logPath: string) {
    this.#child = child;
    this.port = port;
    this.logPath = logPath;
  }

  static async start(processes: ChildProcesses, logPath: string): Promise<Resource> {
    const child = processes.fork('resource-process', [logPath]);
    const { port } = await new Promise<AddressInfo>((resolve, reject) => {
      child.once('message', (address: AddressInfo) => resolve(address));
      child.once('exit', () => reject(new Error('the resource process did not start')));
    });
    return new Resource(child, port, logPath);
  }

  /** Has a process ended should the command be killed and not get round to it. */
  ward(pid: number | undefined): void {
    if (pid !== undefined) this.#child.send(pid, () => {});
  }
}
