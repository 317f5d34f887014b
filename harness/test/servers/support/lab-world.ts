import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LabCell, LabReport } from '../../../src/lab/index.ts';

/** The built command, as it is installed: its processes are files of `dist`. */
const COMMAND = fileURLToPath(
  new URL('../../../../packages/holdfast/bin/holdfast.js', import.meta.url),
);

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One laboratory in a folder of its own, in which all that it starts runs too. */
export class Laboratory {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'holdfast-lab-test-'));
  readonly out: string = join(this.folder, 'report');
  readonly #child: ChildProcess;
  readonly ended: Promise<Ended>;
  #stderr = '';

  constructor(options: readonly string[]) {
    const temporary = join(this.folder, 'tmp');
    mkdirSync(temporary);
    const given = options.includes('--out') ? [] : ['--out', this.out];
    const servers = options.includes('--servers') ? [] : ['--servers', 'local'];
    const args = [COMMAND, 'compare', ...servers, ...options, ...given];
    this.#child = spawn(process.execPath, args, {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, as a terminal gives it.
      detached: true,
      env: { ...process.env, TMPDIR: temporary },
    });
    this.ended = this.#untilEnded();
  }

  /** Resolves once the lab has printed this on stderr. @throws Error if it ends without */
  async says(text: string): Promise<void> {
    const printed = new Promise<void>((done) => {
      const look = (): void => {
        if (this.#stderr.includes(text)) done();
      };
      this.#child.stderr?.on('data', look);
      look();
    });
    const ended = this.ended.then(({ code }) => {
      if (!this.#stderr.includes(text))
        throw new Error(`the lab ended (${code}) without "${text}"`);
    });
    await Promise.race([printed, ended]);
  }

  /** Resolves once it has said so many lines on stderr, or has ended. */
  async progresses(lines: number): Promise<void> {
    const { stderr } = this.#child;
    while (this.#stderr.split('\n').length <= lines && this.#child.exitCode === null)
      await Promise.race([stderr === null ? undefined : once(stderr, 'data'), this.ended]);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ctrl-C, which a terminal sends to all processes of a group. */
  interrupt(): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGINT');
  }

  /** The one process that runs this module in its folder. */
  pidOf(module: string): number {
    const pid = this.running.find((each) => commandOf(each).includes(module));
    if (pid === undefined) throw new Error(`no process runs ${module}`);
    return Number(pid);
  }

  /** Processes that run in its folder, itself included. */
  get running(): readonly string[] {
    return readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && folderOf(pid).startsWith(this.folder),
    );
  }

  /** Files that servers and clients have left on the disk. */
  get litter(): readonly string[] {
    return readdirSync(join(this.folder, 'tmp'));
  }

  get report(): LabReport {
    return JSON.parse(readFileSync(join(this.out, 'report.json'), 'utf8'));
  }

  get page(): string {
    return readFileSync(join(this.out, 'report.html'), 'utf8');
  }

  cell(fault: string, column: string): LabCell {
    const cell = this.report.cells.find((each) => each.fault === fault && each.column === column);
    if (cell === undefined) throw new Error(`no cell for ${fault} on ${column}`);
    return cell;
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  #untilEnded(): Promise<Ended> {
    let stdout = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.#stderr += chunk));
    return new Promise((resolve) =>
      this.#child.once('close', (code, signal) =>
        resolve({ code, signal, stdout, stderr: this.#stderr }),
      ),
    );
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
