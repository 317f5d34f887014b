import type { Runtime } from '@holdfast/core';
import { Call, type CallOwner, type CommandArgs } from './call.ts';
import { Deadlines } from './deadlines.ts';
import type { Dialer, Link } from './link.ts';
import { LinkState } from './link-state.ts';
import { PendingUndos } from './pending-undos.ts';
import { type CallOptions, NodeReplyError, type Reply, type Undo } from './port.ts';
import { Redialer } from './redialer.ts';

export interface CommandConnectionOptions {
  readonly runtime: Runtime;
  readonly dialer: Dialer;
  readonly connectMs: number;
  readonly silenceMs: number;
  /** Told when the node went silent, so that other connections to it can be doubted too. */
  readonly silent: (cause: Error) => void;
}

/** How long `close` waits for undos on the wire; calls end by their own deadlines. */
const CLOSE_MS = 1_000;

/** The command connection of one node, and every call that is not settled yet. */
export class CommandConnection implements CallOwner {
  readonly #options: CommandConnectionOptions;
  readonly #redialer: Redialer;
  readonly #calls: Deadlines<Call>;
  readonly #undos: PendingUndos;
  #session: LinkState | undefined;
  readonly #endBurst = (): void => {
    this.#burstMs = undefined;
  };
  #burstMs: number | undefined;
  #connections = 0;
  #unsettled = 0;
  #isClosed = false;
  #emptied: (() => void) | undefined;

  constructor(options: CommandConnectionOptions) {
    const { runtime, dialer, connectMs } = options;
    this.#options = options;
    this.#calls = new Deadlines(runtime, (call) => this.#expire(call));
    this.#undos = new PendingUndos(runtime, (deadlineMs) => this.isPast(deadlineMs));
    this.#redialer = new Redialer({
      runtime,
      dialer,
      connectMs,
      purpose: 'commands',
      up: (link) => this.#up(link),
      down: (cause) => this.#down(cause),
    });
    this.#redialer.start();
  }

  /** How many there have been. */
  get connections(): number {
    return this.#connections;
  }

  /** Sends now, or as soon as the connection that is being made is up; never after the deadline. */
  call(
    words: CommandArgs,
    options: CallOptions,
    resolve: (reply: Reply) => void,
    reject: (error: Error) => void,
  ): void {
    const call = new Call(this, words, options, resolve, reject);
    if (this.#unsettled++ === 0) this.#redialer.keepAlive(true);
    const nowMs = this.#options.runtime.now().monotonicMs;
    const refusal = this.#refusal(call, nowMs);
    if (refusal !== undefined) return call.failUnwritten(refusal, this.#redialer.lastCause);
    this.#calls.add(call, nowMs);
    if (this.#session !== undefined) call.send(this.#session);
  }

  describeFailure(message: string): string {
    return `${this.#options.dialer.address}: ${message}`;
  }

  /** Commands leave in bursts, in which nothing else runs; the clock is read once for each burst. */
  isPast(deadlineMs: number): boolean {
    if (this.#burstMs === undefined) {
      this.#burstMs = this.#options.runtime.now().monotonicMs;
      queueMicrotask(this.#endBurst);
    }
    return this.#burstMs >= deadlineMs;
  }

  queued(call: Call): void {
    if (!call.isSettled) this.#doubt(call, 'only queued: the connection is inside a MULTI');
  }

  settled(_call: Call): void {
    this.#calls.prune();
    if (--this.#unsettled > 0) return;
    this.#redialer.keepAlive(false);
    this.#emptied?.();
  }

  /** Lets calls and undos on the wire finish, refuses new ones, then ends the connection. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#session === undefined) this.#failAll(new Error('the node was closed'));
    await this.#drained();
    this.#redialer.close();
    this.#down(new Error('the node was closed'));
    this.#undos.close();
    this.#calls.close();
  }

  #refusal(call: Call, nowMs: number): string | undefined {
    if (this.#isClosed) return 'the node was closed';
    if (nowMs >= call.deadlineMs) return 'the deadline had passed already';
    if (this.#session?.isStale === true) return 'the node is read-only; connecting anew';
    if (this.#redialer.state === 'pausing') return 'not connected';
    return undefined;
  }

  #up(link: Link): void {
    const { runtime, silenceMs } = this.#options;
    const session = new LinkState(link, {
      runtime,
      silenceMs,
      silent: () => this.#silent(),
      proven: () => this.#redialer.proven(),
      stale: () =>
        this.#redialer.drop(new NodeReplyError('READONLY', 'READONLY the node is a replica')),
    });
    this.#session = session;
    this.#connections += 1;
    this.#undos.sendAll(session);
    for (const call of this.#calls.open()) call.send(session);
  }

  #silent(): void {
    const cause = new Error(
      this.describeFailure(`silent for ${this.#options.silenceMs} ms or more`),
    );
    this.#redialer.drop(cause);
    this.#options.silent(cause);
  }

  #down(cause: Error): void {
    this.#session?.end();
    this.#session = undefined;
    this.#undos.lostLink();
    this.#failAll(cause);
  }

  #failAll(cause: Error): void {
    for (const call of this.#calls.open()) {
      if (call.hasLeft) this.#doubt(call, 'the connection was lost before the reply came', cause);
      else call.failUnwritten('not connected', cause);
    }
  }

  #expire(call: Call): void {
    if (call.hasLeft) this.#doubt(call, 'no reply by the deadline');
    else call.failUnwritten('no connection by the deadline', this.#redialer.lastCause);
  }

  #doubt(call: Call, reason: string, cause?: Error): void {
    const { undo, undone } = this.#undo(call.undo);
    call.failInDoubt(`${call.args[0]}: ${reason}`, undo, undone, cause);
  }

  #undo(undo: Undo | undefined): {
    undo: 'ordered' | 'unordered' | 'none';
    undone: Promise<boolean>;
  } {
    const session = this.#session;
    const isOver = this.#isClosed && session === undefined;
    const undone = undo === undefined || isOver ? undefined : this.#undos.begin(undo, session);
    if (undone === undefined) return { undo: 'none', undone: Promise.resolve(false) };
    return { undo: session === undefined ? 'unordered' : 'ordered', undone };
  }

  async #drained(): Promise<void> {
    if (this.#unsettled > 0) {
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
      });
    }
    if (this.#session === undefined || this.#session.isIdle) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.runtime.timer(CLOSE_MS, resolve, { awaited: true });
      void this.#undos.settled().finally(cancel).finally(resolve);
    });
  }
}
