import type { RoutedCall, RoutedUndo } from './cluster/routing.ts';
import type { HasDeadline } from './deadline-queue.ts';
import type { OutgoingCommand } from './link.ts';
import type { LinkState } from './link-state.ts';
import { NodeDoubt, NodeReplyError, NodeUnavailable, type Reply } from './port.ts';
import { codeOf } from './replies.ts';
import { isQueued } from './shapes.ts';

/** The connection to which a call reports. */
export interface CommandOwner {
  /** Returns the message with the address of the node. */
  describeFailure(message: string): string;
  /** True if `deadlineMs` has passed. */
  isPast(deadlineMs: number): boolean;
  /** The MULTI of another user of the connection holds the call back; the reply was only QUEUED. */
  queued(call: PendingCommand): void;
  settled(call: PendingCommand): void;
}

/** Who gets the one outcome of a call. */
export interface Caller {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** The arguments of a command, or what has them for the connection on which it is sent. */
export type CommandArgs = readonly string[] | { argsOn(linkState: LinkState): readonly string[] };

const UNSENT: readonly string[] = [];

/** One command, from its call to its one outcome: reply, error reply, doubt, or never written. */
export class PendingCommand implements OutgoingCommand, HasDeadline {
  readonly #command: CommandArgs;
  readonly #options: RoutedCall;
  readonly #owner: CommandOwner;
  readonly #caller: Caller;
  #args: readonly string[] = UNSENT;
  #linkState: LinkState | undefined;
  #isBeingSent = false;
  #hasLeft = false;
  #isSettled = false;

  constructor(owner: CommandOwner, args: CommandArgs, options: RoutedCall, caller: Caller) {
    this.#owner = owner;
    this.#command = args;
    this.#options = options;
    this.#caller = caller;
  }

  get deadlineMs(): number {
    return this.#options.deadlineMs;
  }

  get undo(): RoutedUndo | undefined {
    return this.#options.undo;
  }

  get asking(): boolean | undefined {
    return this.#options.asking;
  }

  get isUndo(): boolean {
    return false;
  }

  /** Empty until it is sent. */
  get args(): readonly string[] {
    return this.#args;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** True once its bytes were passed to a socket: from then on it may be applied. */
  get isSent(): boolean {
    return this.#hasLeft;
  }

  /** The server that it was sent to, if the dialer chooses among several. */
  get server(): string | undefined {
    return this.#linkState?.link.server;
  }

  send(linkState: LinkState): void {
    this.#linkState = linkState;
    this.#args = 'argsOn' in this.#command ? this.#command.argsOn(linkState) : this.#command;
    this.#isBeingSent = true;
    linkState.link.send(this);
    this.#isBeingSent = false;
  }

  markSent(): boolean {
    if (this.#hasLeft) return true;
    if (this.#isSettled) return false;
    // If it leaves later than it was sent, the event loop may have been blocked meanwhile, and the timers with it.
    if (!this.#isBeingSent && this.#owner.isPast(this.deadlineMs)) {
      this.failUnwritten('its deadline passed before it could be written');
      return false;
    }
    this.#hasLeft = true;
    this.#linkState?.sent();
    return true;
  }

  answered(reply: Reply): void {
    if (isQueued(reply)) this.#owner.queued(this);
    else if (this.#settle()) this.#caller.resolve(reply);
    this.#linkState?.answered();
  }

  refused(text: string): void {
    const code = codeOf(text);
    // Settled first, because the link may end at this reply.
    if (this.#settle()) this.#caller.reject(new NodeReplyError(code, text));
    this.#linkState?.refused(code);
  }

  notSent(cause: Error): void {
    this.failUnwritten('the client library did not send it', cause);
  }

  failUnwritten(message: string, cause?: unknown): void {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    if (this.#settle())
      this.#caller.reject(new NodeUnavailable(this.#owner.describeFailure(message + why), cause));
  }

  failUnknown(
    message: string,
    undo: NodeDoubt['undo'],
    undone: Promise<boolean>,
    cause?: unknown,
  ): void {
    if (this.#settle())
      this.#caller.reject(new NodeDoubt(this.#owner.describeFailure(message), undo, undone, cause));
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#owner.settled(this);
    return true;
  }
}
