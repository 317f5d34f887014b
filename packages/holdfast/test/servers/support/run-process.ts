import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HOLDFAST = fileURLToPath(new URL('../../../bin/holdfast.js', import.meta.url));

/** The end of `holdfast run`. */
export interface RunEnd {
  readonly status: number | null;
  readonly errors: string;
}

export interface RunOptions {
  /** Before the `--`. */
  readonly options?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** True: nobody reads its errors, so that writing one fails. */
  readonly isUnheard?: boolean;
}

const running = new Set<RunProcess>();

/** A real `holdfast run`, and what its command says. */
export class RunProcess {
  readonly ended: Promise<RunEnd>;
  readonly #process: ChildProcess;
  readonly #lines: string[] = [];
  readonly #heard = new Set<() => void>();

  /** @param command with its arguments */
  constructor(url: string, key: string, command: readonly string[], more: RunOptions = {}) {
    const { options = [], env = {}, isUnheard = false } = more;
    const args = [HOLDFAST, 'run', key, '--on', url, ...options, '--', ...command];
    const { HOLDFAST_TOKEN: _, ...own } = process.env;
    this.#process = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...own, ...env },
    });
    let errors = '';
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
    if (isUnheard) this.#process.stderr?.destroy();
    if (this.#process.stdout !== null)
      createInterface({ input: this.#process.stdout }).on('line', (line) => {
        this.#lines.push(line);
        for (const hear of this.#heard) hear();
      });
    this.ended = new Promise((done) => {
      this.#process.once('exit', (status) => done({ status, errors }));
    });
    running.add(this);
  }

  /** The pid of `holdfast run` itself. */
  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get said(): readonly string[] {
    return this.#lines;
  }

  /** Resolves to the line that begins with this word. */
  async hears(word: string): Promise<string> {
    for (;;) {
      const line = this.#lines.find((each) => each.startsWith(word));
      if (line !== undefined) return line;
      const more = new Promise<undefined>((resume) => this.#heard.add(() => resume(undefined)));
      const end = await Promise.race([more, this.ended]);
      if (end !== undefined)
        throw new Error(`it ended (${end.status}) before ${word}: ${end.errors}`);
    }
  }

  /** The numbers in a line, such as `pids 12 13`. */
  async hearsPids(word: string): Promise<readonly number[]> {
    const line = await this.hears(word);
    return line.split(' ').slice(1).map(Number);
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }
}

/** Ends what a failed test has left. */
export function endAll(pids: readonly number[] = []): void {
  for (const run of running) run.signal('SIGKILL');
  running.clear();
  for (const pid of pids) kill(pid, 'SIGKILL');
}

export function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** True if a process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}

/** A named pipe in a folder of its own, by which a test tells a process to go on. */
export class Gate {
  readonly path: string;
  readonly #folder: string;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
    this.path = join(this.#folder, 'gate');
    execFileSync('mkfifo', [this.path]);
  }

  /** Waits for a reader, and lets it go on. */
  async open(): Promise<void> {
    const file = await open(this.path, 'w');
    await file.write('go\n');
    await file.close();
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true });
  }
}
