import type { Io } from 'holdfast/internal';

/** A place to run commands in that keeps what they print. */
export class Console implements Io {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout;
  readonly stderr;
  out = '';
  err = '';

  constructor(env: NodeJS.ProcessEnv = {}, isTTY = false) {
    this.env = env;
    this.stdout = { isTTY, write: (text: string) => (this.out += text) };
    this.stderr = { isTTY, write: (text: string) => (this.err += text) };
  }
}
