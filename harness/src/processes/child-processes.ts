import { type ChildProcess, fork } from 'node:child_process';
import { Supervisor } from './supervisor.ts';

/** The children of one comparison; none outlives it, however it ends. */
export class ChildProcesses {
  readonly #children = new Set<ChildProcess>();

  /** Starts a module; its output is dropped but for errors. */
  fork(
    entry: URL,
    args: readonly string[] = [],
    variables: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const child = fork(entry, [...args], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Flags of this process, such as those of a test runner, are not theirs.
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

  /** SIGKILL, which reaches a stopped process too. */
  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}
