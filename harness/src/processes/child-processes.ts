import { type ChildProcess, fork } from 'node:child_process';
import { Supervisor } from './supervisor.ts';

/** Child processes of one comparison; none outlives it, however it ends. */
export class ChildProcesses {
  readonly #children = new Set<ChildProcess>();

  /** Starts a module; its output is dropped, except for errors. */
  fork(
    entry: URL,
    args: readonly string[] = [],
    variables: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const child = fork(entry, [...args], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Flags of this process, such as a test runner's, do not apply to it.
      execArgv: [],
      // Certificates may be bytes.
      serialization: 'advanced',
      env: { ...process.env, ...variables },
    });
    Supervisor.get().watch(child);
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  /** SIGKILL, which also ends a paused process. */
  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}
