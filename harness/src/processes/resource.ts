import type { AddressInfo } from 'node:net';
import type { ChildProcesses } from './child-processes.ts';

/** The resource process, as the command sees it. */
export class Resource {
  readonly port: number;
  readonly logPath: string;
  /** Resolves when the process has ended, however it did. */
  readonly ended: Promise<void>;

  private constructor(port: number, logPath: string, ended: Promise<void>) {
    this.port = port;
    this.logPath = logPath;
    this.ended = ended;
  }

  static async start(processes: ChildProcesses, logPath: string): Promise<Resource> {
    const child = processes.fork(new URL('./resource-process.js', import.meta.url), [logPath]);
    const ended = new Promise<void>((done) => child.once('exit', () => done()));
    const { port } = await new Promise<AddressInfo>((resolve, reject) => {
      child.once('message', (address: AddressInfo) => resolve(address));
      child.once('exit', () => reject(new Error('the resource process did not start')));
    });
    return new Resource(port, logPath, ended);
  }
}
