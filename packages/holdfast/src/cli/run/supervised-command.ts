import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CommandGroup } from './command-group.ts';
import { Ending } from './ending.ts';
import { readClocks, type Times } from './instants.ts';
import { type CommandEnd, lineOf, type Order, type Report, type StartOrder } from './messages.ts';

interface Settle {
  readonly done: (end: CommandEnd) => void;
  readonly fail: (error: Error) => void;
}

const GUARDIAN = fileURLToPath(new URL('./guardian.js', import.meta.url));
const ORDERS_FD = 3;

/**
 * A command under a guardian. The guardian ends it; this process does so only if the guardian is gone or has not done it
 * in time.
 */
export class SupervisedCommand {
  readonly ended: Promise<CommandEnd>;
  readonly #guardian: ChildProcess;
  readonly #ending: Ending;
  #group: CommandGroup | undefined;
  #isGuardianGone = false;
  #settle: Settle = { done: () => {}, fail: () => {} };

  constructor(start: StartOrder) {
    this.ended = new Promise((done, fail) => {
      this.#settle = { done, fail };
    });
    const half = start.marginMs / 2;
    this.#ending = new Ending(
      {
        // Later than the guardian, and before the end of the lease.
        graceMs: start.graceMs + half,
        marginMs: half,
        now: readClocks,
        timer: startTimer,
        terminate: () => this.#terminate(),
        kill: () => this.#kill(),
      },
      start.deadline,
    );
    this.#guardian = this.#spawnGuardian();
    this.#send(start);
    this.#ending.watch();
  }

  /** The lease ends then. */
  extend(deadline: Times): void {
    this.#ending.extend(deadline);
    this.#send({ kind: 'deadline', deadline });
  }

  /** Passes a signal to all processes of the command. */
  signal(signal: NodeJS.Signals): void {
    this.#send({ kind: 'signal', signal });
  }

  /** Ends the command: its lease is lost. */
  end(): void {
    this.#send({ kind: 'end' });
    this.#ending.begin('lost');
  }

  #spawnGuardian(): ChildProcess {
    // Options of Node that are meant for the command would slow the guardian, or open a port a second time.
    const { NODE_OPTIONS: _, ...env } = process.env;
    const guardian = spawn(process.execPath, [GUARDIAN], {
      detached: true,
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
      env,
    });
    guardian.once('error', ({ message }) => this.#fail(`no guardian process: ${message}`));
    guardian.once('exit', () => void this.#guardianExited());
    const orders = pipeOf(guardian);
    orders?.on('error', () => undefined);
    if (orders !== undefined)
      createInterface({ input: orders }).on('line', (line) => {
        const report: Report = JSON.parse(line);
        this.#hear(report);
      });
    return guardian;
  }

  #hear(report: Report): void {
    switch (report.kind) {
      case 'started':
        this.#group = new CommandGroup(report.pid);
        return this.#send({ kind: 'go' });
      case 'failed':
        return this.#fail(`the command could not be started: ${report.message}`);
      case 'ended':
        return this.#done(report);
    }
  }

  /** Its reports have been read before, if there were any: the pipe is closed after the exit. */
  async #guardianExited(): Promise<void> {
    this.#isGuardianGone = true;
    const orders = pipeOf(this.#guardian);
    if (orders?.readableEnded === false)
      await new Promise((resolve) => orders.once('close', resolve));
    if (this.#group === undefined)
      return this.#fail('the guardian ended before it had started the command');
    this.#ending.begin('supervisor');
    await this.#group.over();
    this.#done({ ...UNKNOWN_END, reason: this.#ending.reason });
  }

  /** The guardian does so at this time, or is stopped: two signals would hurry a command that ends in order. */
  #terminate(): void {
    if (!this.#isGuardianGone) return;
    this.#group?.signal('SIGTERM');
    this.#group?.signal('SIGCONT');
  }

  /** The guardian should have done it by now. */
  #kill(): void {
    this.#group?.signal('SIGKILL');
    if (this.#group?.isOver ?? true) this.#done({ ...UNKNOWN_END, reason: this.#ending.reason });
  }

  #fail(message: string): void {
    this.#close();
    this.#settle.fail(new Error(message));
  }

  #done({ code, signal, reason }: CommandEnd): void {
    this.#close();
    this.#settle.done({ code, signal, reason });
  }

  /** The command has ended, and so the guardian has nothing to do, even if it is stopped. */
  #close(): void {
    this.#ending.stop();
    this.#guardian.kill('SIGKILL');
    pipeOf(this.#guardian)?.destroy();
  }

  #send(order: Order): void {
    const orders = pipeOf(this.#guardian);
    if (orders?.writable === true) orders.write(lineOf(order));
  }
}

const UNKNOWN_END = { code: null, signal: null } as const;

function startTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

function pipeOf(guardian: ChildProcess): Duplex | undefined {
  const pipe = guardian.stdio[ORDERS_FD];
  return pipe instanceof Duplex ? pipe : undefined;
}
