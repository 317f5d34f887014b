import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandResult } from '../../support/command.ts';

/** The built command, as it is installed. */
const MAIN = new URL('../../../../packages/holdfast/dist/cli/main.js', import.meta.url);
const SOURCE = `
  import { main } from ${JSON.stringify(MAIN.href)};
  process.on('message', async (args) => {
    const said = { stdout: '', stderr: '' };
    const to = (name) => ({ write: (text) => { said[name] += text; } });
    const code = await main(args, { stdout: to('stdout'), stderr: to('stderr'), env: process.env });
    process.send({ code, ...said });
  });`;

/**
 * Runs commands one after the other in one process: loading the command takes longer than what it does. The process ends
 * by itself once it gets no more of them, if they have left nothing open.
 */
export class CommandProcess {
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-commands-'));
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor() {
    this.#child = spawn(process.execPath, ['--input-type=module', '--eval', SOURCE], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, TMPDIR: this.#folder },
    });
    this.#ended = new Promise((resolve) => this.#child.once('exit', resolve));
  }

  async run(args: readonly string[]): Promise<CommandResult> {
    const replied = once(this.#child, 'message');
    this.#child.send(args);
    const first = await Promise.race([replied, this.#ended]);
    if (!Array.isArray(first)) throw new Error(`the process ended (${first}) at ${args.join(' ')}`);
    return first[0];
  }

  /** Files and folders that the commands have left. */
  get litter(): readonly string[] {
    return readdirSync(this.#folder);
  }

  /** Resolves to its exit code once it has ended by itself. */
  async end(): Promise<number | null> {
    if (this.#child.connected) this.#child.disconnect();
    return await this.#ended;
  }

  close(): void {
    this.#child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true });
  }
}
