import type { ChildProcess } from 'node:child_process';

/** Resolves once this child is gone, and its ports with it. */
export function exitOf(child: ChildProcess): Promise<unknown> {
  return hasExited(child) ? Promise.resolve() : new Promise((done) => child.once('exit', done));
}

/** Whether it has ended, by itself or by a signal. */
export function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
