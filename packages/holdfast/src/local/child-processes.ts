import { type ChildProcess, fork } from 'node:child_process';

/** The children of one comparison; none outlives it, however it ends. */
export class ChildProcesses {
  readonly #children = new Set<ChildProcess>();
  readonly #killAll = (): void => this.killAll();

  constructor() {
    process.on('exit', this.#killAll);
  }

  /** Starts a module beside this one; its output is dropped but for errors. */
  fork(module: string, args: readonly string[]): ChildProcess {
    const entry = new URL(`./${module}.js`, import.meta.url);
    const child = fork(entry, [...args], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Flags of this process, such as those of a test runner, are not theirs.
      execArgv: [],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  /** SIGKILL, which reaches a stopped process too. */
  killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  close(): void {
    this.killAll();
    process.off('exit', this.#killAll);
  }
}
