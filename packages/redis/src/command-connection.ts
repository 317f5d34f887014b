import type { Runtime } from '@holdfast/core';
import type { RoutedCall } from './cluster/routing.ts';
import { DeadlineQueue } from './deadline-queue.ts';
import type { Dialer, Link } from './link.ts';
import { LinkState } from './link-state.ts';
import { Liveness, PROOF_MS } from './liveness.ts';
import {
  type Caller,
  type CommandArgs,
  type CommandOwner,
  PendingCommand,
} from './pending-command.ts';
import { PendingUndos } from './pending-undos.ts';
import { NodeReplyError, type Reply } from './port.ts';
import { Redialer } from './redialer.ts';

export interface CommandConnectionOptions {
  readonly runtime: Runtime;
  readonly dialer: Dialer;
  readonly connectMs: number;
  readonly silenceMs: number;
  /** Called if the node went silent, so that other connections to it can be dropped too. */
  readonly silent: (cause: Error) => void;
  /** See {@link RedialerOptions.unfit}. */
  readonly unfit?: ((hello: Reply) => Error | undefined) | undefined;
}

/** The time that `close` waits for undos on the wire; calls end by their own deadlines. */
const CLOSE_MS = 1_000;

/** The command connection of one node, with every call that is not settled yet. */
export class CommandConnection implements CommandOwner {
  readonly #options: CommandConnectionOptions;
  readonly #redialer: Redialer;
  readonly #calls: DeadlineQueue<PendingCommand>;
  readonly #undos: PendingUndos;
  #linkState: LinkState | undefined;
  #liveness: Liveness | undefined;
  readonly #endBurst = (): void => {
    this.#burstNowMs = undefined;
  };
  #burstNowMs: number | undefined;
  #connections = 0;
  #unsettled = 0;
  #isClosed = false;
  #onDrained: (() => void) | undefined;

  constructor(options: CommandConnectionOptions) {
    const { runtime, dialer, connectMs, unfit } = options;
    this.#options = options;
    this.#calls = new DeadlineQueue(runtime, (call) => this.#expire(call));
    this.#undos = new PendingUndos(runtime, (deadlineMs) => this.isPast(deadlineMs));
    this.#redialer = new Redialer({
      runtime,
      dialer,
      connectMs,
      purpose: 'commands',
      up: (link) => this.#up(link),
      down: (cause) => this.#down(cause),
      unfit,
    });
    this.#redialer.start();
  }

  /** The number of connections so far. */
  get connections(): number {
    return this.#connections;
  }

  /**
   * Sends now, or as soon as the pending connection is up; never after the deadline. A connection that was silent for long
   * is proven first, or replaced: nothing was on it, so that nothing falls in doubt.
   */
  call(args: CommandArgs, options: RoutedCall, caller: Caller): void {
    const call = new PendingCommand(this, args, options, caller);
    if (this.#unsettled++ === 0) this.#redialer.keepAlive(true);
    const now = this.#options.runtime.now();
    const refusal = this.#refusal(call, now.monotonicMs);
    if (refusal !== undefined) return call.failUnwritten(refusal, this.#redialer.lastCause);
    this.#calls.add(call, now.monotonicMs);
    const linkState = this.#linkState;
    const liveness = this.#liveness;
    if (linkState === undefined || liveness === undefined || liveness.isProving) return;
    if (linkState.isIdle && liveness.isSilent(now)) {
      const proofMs = Math.min(PROOF_MS, (call.deadlineMs - now.monotonicMs) / 2);
      return liveness.prove(proofMs, () => this.#sendAll(linkState));
    }
    // Each command is a sign of life too: without a reply the link is dropped before it counts as silent.
    liveness.heard(now);
    call.send(linkState);
  }

  describeFailure(message: string): string {
    return `${this.#options.dialer.address}: ${message}`;
  }

  /** Reads the clock once for each burst: commands leave in bursts, in which nothing else runs. */
  isPast(deadlineMs: number): boolean {
    if (this.#burstNowMs === undefined) {
      this.#burstNowMs = this.#options.runtime.now().monotonicMs;
      queueMicrotask(this.#endBurst);
    }
    return this.#burstNowMs >= deadlineMs;
  }

  queued(call: PendingCommand): void {
    if (!call.isSettled) this.#failUnknown(call, 'only queued: the connection is inside a MULTI');
  }

  settled(_call: PendingCommand): void {
    this.#calls.prune();
    if (--this.#unsettled > 0) return;
    this.#redialer.keepAlive(false);
    this.#onDrained?.();
  }

  /** Lets calls and undos on the wire finish, refuses new ones, then ends the connection. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#linkState === undefined) this.#failAll(new Error('the node was closed'));
    await this.#drain();
    this.#redialer.close();
    this.#down(new Error('the node was closed'));
    this.#undos.close();
    this.#calls.close();
  }

  #refusal(call: PendingCommand, nowMs: number): string | undefined {
    if (this.#isClosed) return 'the node was closed';
    if (nowMs >= call.deadlineMs) return 'the deadline had passed already';
    if (this.#linkState?.isStale === true) return 'the node is read-only; connecting anew';
    if (this.#redialer.state === 'pausing') return 'not connected';
    return undefined;
  }

  #up(link: Link): void {
    const { runtime, silenceMs } = this.#options;
    const linkState = new LinkState(link, {
      runtime,
      silenceMs,
      silent: () => this.#silent(),
      proven: () => this.#redialer.proven(),
      stale: () =>
        this.#redialer.drop(new NodeReplyError('READONLY', 'READONLY the node is a replica')),
    });
    this.#linkState = linkState;
    this.#liveness = new Liveness({ runtime, link, failed: (cause) => this.#replace(cause) });
    this.#connections += 1;
    this.#undos.sendAll(linkState);
    this.#sendAll(linkState);
  }

  #sendAll(linkState: LinkState): void {
    for (const call of this.#calls.open()) call.send(linkState);
  }

  /** The link has served: its loss is no failure to connect, so that the next one is dialled at once. */
  #replace(reason: Error): void {
    const cause = new Error(this.describeFailure(reason.message));
    this.#redialer.proven();
    this.#redialer.drop(cause);
    this.#options.silent(cause);
  }

  #silent(): void {
    const cause = new Error(
      this.describeFailure(`silent for ${this.#options.silenceMs} ms or more`),
    );
    this.#redialer.drop(cause);
    this.#options.silent(cause);
  }

  #down(cause: Error): void {
    const wasProving = this.#liveness?.isProving === true;
    this.#liveness?.end();
    this.#liveness = undefined;
    this.#linkState?.end();
    this.#linkState = undefined;
    this.#undos.lostLink();
    // Calls that a proof held back wait for the next connection.
    if (!wasProving || this.#isClosed) this.#failAll(cause);
  }

  #failAll(cause: Error): void {
    for (const call of this.#calls.open()) {
      if (call.isSent)
        this.#failUnknown(call, 'the connection was lost before the reply came', cause);
      else call.failUnwritten('not connected', cause);
    }
  }

  #expire(call: PendingCommand): void {
    if (call.isSent) this.#failUnknown(call, 'no reply by the deadline');
    else call.failUnwritten('no connection by the deadline', this.#redialer.lastCause);
  }

  #failUnknown(call: PendingCommand, reason: string, cause?: Error): void {
    const { undo, undone } = this.#undo(call);
    call.failUnknown(`${call.args[0]}: ${reason}`, undo, undone, cause);
  }

  #undo({ undo, server }: PendingCommand): {
    undo: 'ordered' | 'unordered' | 'none';
    undone: Promise<boolean>;
  } {
    const linkState = this.#linkState;
    const isOver = this.#isClosed && linkState === undefined;
    const undone =
      undo === undefined || isOver ? undefined : this.#undos.begin(undo, linkState, server);
    if (undone === undefined) return { undo: 'none', undone: Promise.resolve(false) };
    return { undo: linkState === undefined ? 'unordered' : 'ordered', undone };
  }

  async #drain(): Promise<void> {
    if (this.#unsettled > 0) {
      await new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
    }
    if (this.#linkState === undefined || this.#linkState.isIdle) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.runtime.timer(CLOSE_MS, resolve, { awaited: true });
      void this.#undos.settled().finally(cancel).finally(resolve);
    });
  }
}
