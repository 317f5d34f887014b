import type { ChildProcess } from 'node:child_process';
import { ChildProcesses } from '../child-processes.ts';
import { type Direction, type Only, type Target, targetOf } from './proxy.ts';

interface PendingCommand {
  readonly done: (port: number) => void;
  readonly fail: (error: Error) => void;
}

/**
 * The process in which all proxies are, as the laboratory sees it. Not a thread: one whose sockets were just reset has been
 * seen to turn for ever when it was to end (Node 20), and the whole laboratory with it.
 */
export class Proxies {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, PendingCommand>();
  #orders = 0;
  #lost: Error | undefined;
  #isClosed = false;

  /** `gone` hears that the process has ended, though nobody closed it. */
  constructor(gone: () => void) {
    this.#child = new ChildProcesses().fork(new URL('./proxy-process.js', import.meta.url));
    this.#child.on('message', (answer: ProxyReply) => this.#receive(answer));
    this.#child.once('exit', () => this.#ended(gone));
  }

  /** A way to a server, or to a port on loopback. */
  async open(target: Target | number): Promise<ProxyPort> {
    return new ProxyPort(await this.execute({ kind: 'open', target: targetOf(target) }), this);
  }

  /** Resolves once it is done; rejects where nobody is there any more to do it. */
  execute(command: ProxyCommand): Promise<number> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const id = ++this.#orders;
    return new Promise((done, fail) => {
      this.#asked.set(id, { done, fail });
      // A child that has just died is noticed by its exit.
      this.#child.send({ id, command } satisfies NumberedCommand, () => {});
    });
  }

  /** All ways end. */
  close(): void {
    this.#isClosed = true;
    this.#child.kill('SIGKILL');
  }

  #receive(answer: ProxyReply): void {
    const asked = this.#asked.get(answer.id);
    this.#asked.delete(answer.id);
    if ('failed' in answer) asked?.fail(new Error(answer.failed));
    else asked?.done(answer.port);
  }

  #ended(gone: () => void): void {
    const error = new Error('the process of the proxies has ended');
    this.#lost = error;
    // First, lest those who are told of their orders take it for a fault of what they play.
    if (!this.#isClosed) gone();
    for (const { fail } of this.#asked.values()) fail(error);
    this.#asked.clear();
  }
}

/** One proxy: where it listens, and what can be done to it. Every promise resolves once it is in effect. */
export class ProxyPort {
  readonly port: number;
  readonly #proxies: Proxies;

  constructor(port: number, proxies: Proxies) {
    this.port = port;
    this.#proxies = proxies;
  }

  async cut(direction: Direction = 'both', only?: Only): Promise<void> {
    await this.#proxies.execute({ kind: 'cut', port: this.port, direction, only });
  }

  /** Of each connection that stands the reply after so many is lost, and the connection with it. */
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

/** What the process of the proxies is asked to do; each order is answered. `port` names a proxy by where it listens. */
export type ProxyCommand =
  | { readonly kind: 'open'; readonly target: Target }
  | {
      readonly kind: 'cut';
      readonly port: number;
      readonly direction: Direction;
      readonly only?: Only | undefined;
    }
  | { readonly kind: 'lose-replies'; readonly port: number; readonly passes: number }
  | { readonly kind: 'delay'; readonly port: number; readonly delayMs: number }
  | { readonly kind: 'heal'; readonly port: number; readonly drop: boolean }
  | { readonly kind: 'retarget'; readonly port: number; readonly target: Target }
  | { readonly kind: 'close'; readonly port: number };

export interface NumberedCommand {
  readonly id: number;
  readonly command: ProxyCommand;
}

/** `port`: of the proxy that was opened; else that of the order. */
export type ProxyReply =
  | { readonly id: number; readonly port: number }
  | { readonly id: number; readonly failed: string };
