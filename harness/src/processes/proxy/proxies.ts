import type { ChildProcess } from 'node:child_process';
import { ChildProcesses } from '../child-processes.ts';
import { type CutScope, type Direction, type ProxyTarget, targetOf } from './proxy.ts';

interface PendingCommand {
  readonly done: (port: number) => void;
  readonly fail: (error: Error) => void;
}

/**
 * The process of all proxies, as the lab sees it. It is not a thread: with sockets that were just reset, a thread was
 * seen to spin forever on exit (Node 20), and the whole lab with it.
 */
export class Proxies {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, PendingCommand>();
  #commands = 0;
  #lost: Error | undefined;
  #isClosed = false;

  /** `gone` is called if the process ends without {@link close}. */
  constructor(gone: () => void) {
    this.#child = new ChildProcesses().fork(new URL('./proxy-process.js', import.meta.url));
    this.#child.on('message', (reply: ProxyReply) => this.#receive(reply));
    this.#child.once('exit', () => this.#ended(gone));
  }

  /** Opens a proxy to a server, or to a port on loopback. */
  async open(target: ProxyTarget | number): Promise<ProxyPort> {
    return new ProxyPort(await this.execute({ kind: 'open', target: targetOf(target) }), this);
  }

  /** Resolves once it is done; rejects if the process has ended. */
  execute(command: ProxyCommand): Promise<number> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const id = ++this.#commands;
    return new Promise((done, fail) => {
      this.#pending.set(id, { done, fail });
      // A child that has just died is noticed by its exit.
      this.#child.send({ id, command } satisfies NumberedCommand, () => {});
    });
  }

  /** Ends all proxies. */
  close(): void {
    this.#isClosed = true;
    this.#child.kill('SIGKILL');
  }

  #receive(reply: ProxyReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('failed' in reply) pending?.fail(new Error(reply.failed));
    else pending?.done(reply.port);
  }

  #ended(gone: () => void): void {
    const error = new Error('the process of the proxies has ended');
    this.#lost = error;
    // First, so that the callers of pending commands do not take it for an effect of the fault.
    if (!this.#isClosed) gone();
    for (const { fail } of this.#pending.values()) fail(error);
    this.#pending.clear();
  }
}

/** One proxy: its port and its commands. Every promise resolves once the command is in effect. */
export class ProxyPort {
  readonly port: number;
  readonly #proxies: Proxies;

  constructor(port: number, proxies: Proxies) {
    this.port = port;
    this.#proxies = proxies;
  }

  async cut(direction: Direction = 'both', only?: CutScope): Promise<void> {
    await this.#proxies.execute({ kind: 'cut', port: this.port, direction, only });
  }

  /** Loses one reply on each open connection, after `passes` others, and resets the connection. */
  async loseReplies(passes: number): Promise<void> {
    await this.#proxies.execute({ kind: 'lose-replies', port: this.port, passes });
  }

  async delay(delayMs: number): Promise<void> {
    await this.#proxies.execute({ kind: 'delay', port: this.port, delayMs });
  }

  /** Ends cuts and delays. */
  async heal({ drop = false }: { readonly drop?: boolean } = {}): Promise<void> {
    await this.#proxies.execute({ kind: 'heal', port: this.port, drop });
  }

  async retarget(target: number): Promise<void> {
    await this.#proxies.execute({ kind: 'retarget', port: this.port, target: targetOf(target) });
  }

  async close(): Promise<void> {
    await this.#proxies.execute({ kind: 'close', port: this.port });
  }
}

/** A command to the process of the proxies, which replies to each. `port` names a proxy by its listening port. */
export type ProxyCommand =
  | { readonly kind: 'open'; readonly target: ProxyTarget }
  | {
      readonly kind: 'cut';
      readonly port: number;
      readonly direction: Direction;
      readonly only?: CutScope | undefined;
    }
  | { readonly kind: 'lose-replies'; readonly port: number; readonly passes: number }
  | { readonly kind: 'delay'; readonly port: number; readonly delayMs: number }
  | { readonly kind: 'heal'; readonly port: number; readonly drop: boolean }
  | { readonly kind: 'retarget'; readonly port: number; readonly target: ProxyTarget }
  | { readonly kind: 'close'; readonly port: number };

export interface NumberedCommand {
  readonly id: number;
  readonly command: ProxyCommand;
}

/** `port` is that of the opened proxy, or of the command. */
export type ProxyReply =
  | { readonly id: number; readonly port: number }
  | { readonly id: number; readonly failed: string };
