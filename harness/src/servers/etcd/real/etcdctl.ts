import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { findEtcdctl } from './etcd-install.ts';

const run = promisify(execFile);
const ENVIRONMENT = { ...process.env, ETCDCTL_API: '3' };

/** Runs one command of etcd's own tool on this input, and returns what it prints. Rejects if it fails. */
export async function etcdctl(
  address: string,
  args: readonly string[],
  input = '',
): Promise<string> {
  const all = [`--endpoints=${address}`, '--command-timeout=2s', '--dial-timeout=1s', ...args];
  const running = run(binary(), all, { env: ENVIRONMENT });
  const { stdin } = running.child;
  // A command that reads no input may have ended before it is written; its exit code says whether it failed.
  stdin?.on('error', () => {});
  stdin?.end(input);
  return (await running).stdout;
}

/** `etcdctl lock`: it prints its key once it holds, and holds until it is ended. */
export class EtcdctlLock {
  /** Resolves with its key once it holds. */
  readonly held: Promise<string>;
  readonly #child: ChildProcess;

  /** @param ttlSeconds how long its lease outlives it */
  constructor(address: string, name: string, ttlSeconds: number) {
    const args = [`--endpoints=${address}`, 'lock', `--ttl=${ttlSeconds}`, name];
    const child = spawn(binary(), args, {
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.held = new Promise((resolve, reject) => {
      child.stdout.setEncoding('utf8').once('data', (line: string) => resolve(line.trim()));
      child.once('exit', () => reject(new Error('etcdctl lock ended without the lock')));
    });
    this.held.catch(() => {});
  }

  /** Interrupts it, so that it releases; resolves once it has ended. */
  async release(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Kills it, so that its lease has to expire. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.kill(signal);
    });
  }
}

function binary(): string {
  const found = findEtcdctl();
  if (found === undefined) throw new Error('etcdctl is not installed; apt-get install etcd-client');
  return found;
}
