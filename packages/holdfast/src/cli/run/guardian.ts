/**
 * The process between `holdfast run` and its command. It begins a session of its own, so that a terminal or a signal to
 * the group of `holdfast run` does not reach it. It spawns the command, and so its pid is no other process's until it
 * is reaped here. It ends the command within the lease, also when `holdfast run` is gone or stopped, and asks nobody
 * before it does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { CommandGroup } from './command-group.ts';
import { Ending } from './ending.ts';
import { readClocks } from './instants.ts';
import { lineOf, type Order, type Report, type StartOrder } from './messages.ts';

/** The pipe to `holdfast run`. */
const ORDERS_FD = 3;
/**
 * Waits for a line before it becomes the command: if this process dies before `holdfast run` knows the pid, the line
 * never comes, and the command never runs.
 */
const GATE = 'read -r HOLDFAST_GATE <&3 || exit 125; exec 3<&-; exec "$@"';

class Guardian {
  readonly #orders: Socket;
  #child: ChildProcess | undefined;
  #group: CommandGroup | undefined;
  #ending: Ending | undefined;
  #isOrphan = false;

  constructor(orders: Socket) {
    this.#orders = orders;
  }

  obey(order: Order): void {
    switch (order.kind) {
      case 'start':
        return this.#start(order);
      case 'go':
        return this.#openGate();
      case 'deadline':
        return this.#ending?.extend(order.deadline);
      case 'signal':
        return this.#group?.signal(order.signal);
      case 'end':
        return this.#ending?.begin('lost');
    }
  }

  /** `holdfast run` is gone: nobody renews the lease. */
  orphaned(): void {
    this.#isOrphan = true;
    if (this.#group === undefined) process.exit();
    this.#ending?.begin('supervisor');
  }

  #start({ command, env, deadline, ...times }: StartOrder): void {
    const ending = new Ending(
      {
        ...times,
        now: readClocks,
        timer: startTimer,
        terminate: () => this.#terminate(),
        kill: () => this.#group?.signal('SIGKILL'),
      },
      deadline,
    );
    // This process may have been stopped meanwhile.
    if (ending.isDue) return this.#report({ kind: 'ended', ...NEVER_RUN });
    const child = spawn('/bin/sh', ['-c', GATE, 'holdfast', ...command], {
      detached: true,
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
      env,
    });
    child.once('error', ({ message }) => this.#report({ kind: 'failed', message }));
    if (child.pid === undefined) return;
    child.once('exit', (code, signal) => void this.#ended(code, signal));
    child.stdio[ORDERS_FD]?.on('error', () => undefined);
    this.#child = child;
    this.#group = new CommandGroup(child.pid);
    this.#ending = ending;
    ending.watch();
    this.#orders.write(lineOf({ kind: 'started', pid: child.pid }));
  }

  #openGate(): void {
    const gate = this.#child?.stdio[ORDERS_FD];
    if (gate instanceof Socket) gate.end('\n');
  }

  #terminate(): void {
    this.#group?.signal('SIGTERM');
    // A stopped process handles a signal when it continues.
    this.#group?.signal('SIGCONT');
  }

  async #ended(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    // What the command has left running still counts.
    await this.#group?.over();
    this.#ending?.stop();
    this.#report({ kind: 'ended', code, signal, reason: this.#ending?.reason });
  }

  #report(report: Report): void {
    if (this.#isOrphan) process.exit();
    this.#orders.end(lineOf(report), () => process.exit());
  }
}

const NEVER_RUN = { code: null, signal: null, reason: 'deadline' } as const;

/** After the events that came in meanwhile: a stopped process wakes to a timer that is due, and to a later deadline. */
function startTimer(ms: number, run: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (immediate = setImmediate(run)), ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

const orders = new Socket({ fd: ORDERS_FD });
const guardian = new Guardian(orders);
// A process that was killed resets the connection.
orders.on('error', () => guardian.orphaned());
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => undefined);
createInterface({ input: orders })
  .on('line', (line) => {
    const order: Order = JSON.parse(line);
    guardian.obey(order);
  })
  .on('close', () => guardian.orphaned());
