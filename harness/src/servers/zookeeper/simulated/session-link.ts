import type { Instant } from '@holdfast/core';
import {
  type ReplyCode,
  type SessionCloseOptions,
  SessionDoubt,
  SessionReplyError,
  type SessionState,
  SessionUnavailable,
} from '@holdfast/zk/port';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { ClientWatches } from './client-watches.ts';
import { isValid } from './paths.ts';
import { Redialler } from './redialler.ts';
import { type Answer, describeRequest, type Greeting, type Request } from './request.ts';
import type { SimZooKeeperServer } from './server.ts';
import type { ServerSession } from './session.ts';
import { Wire } from './wire.ts';

export interface ClientParts {
  readonly process: SimProcess;
  readonly network: Network;
  readonly servers: readonly SimZooKeeperServer[];
  readonly timeoutMs: number;
  readonly identity: string | undefined;
}

/** How long `close` tries to tell the servers. */
const CLOSE_MS = 2_000;
const NEVER: Instant = { monotonicMs: 0, wallMs: 0 };

/** A session over whichever connection it has at the moment, from its opening to its end. */
export class SessionLink {
  readonly #parts: ClientParts;
  readonly #redialler: Redialler;
  readonly watches: ClientWatches = new ClientWatches();
  readonly #listeners = new Set<(state: SessionState) => void>();
  #session: ServerSession | undefined;
  #wire: Wire | undefined;
  #state: SessionState = 'disconnected';
  #validated: Instant = NEVER;
  #zxid = 0;
  #address = '';
  /** Called when the session is there, or will never be. */
  #opened: (() => void) | undefined;
  /** Called when the servers have been told of the end, or cannot be. */
  #told: (() => void) | undefined;
  #cause: Error | undefined;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#redialler = new Redialler({
      process: parts.process,
      servers: parts.servers,
      timeoutMs: () => this.#session?.timeoutMs ?? parts.timeoutMs,
      dial: (server) => this.#dial(server),
      tooLong: () => this.#wire?.end(new Error(`${this.#address} did not answer in time`)),
    });
  }

  get id(): bigint {
    return this.#session?.id ?? 0n;
  }

  get timeoutMs(): number {
    return this.#session?.timeoutMs ?? this.#parts.timeoutMs;
  }

  get state(): SessionState {
    return this.#state;
  }

  get address(): string {
    return this.#address;
  }

  get validated(): Instant {
    return this.#validated;
  }

  /** Resolves when connected, rejects at the deadline. */
  open(deadlineMs: number): Promise<void> {
    const { process } = this.#parts;
    return new Promise((resolve, reject) => {
      const leftMs = Math.max(0, deadlineMs - process.clocks.monotonicMs);
      const giveUp = (): void => {
        this.#end('closed');
        reject(new SessionUnavailable('no server has opened a session in time', this.#cause));
      };
      const cancel = process.runtime.timer(leftMs, giveUp, { awaited: true });
      const opened = (): void => {
        this.#opened = undefined;
        cancel();
        resolve();
      };
      this.#opened = opened;
      this.#redialler.dial();
    });
  }

  onState(listener: (state: SessionState) => void): () => void {
    const told = (state: SessionState): void => listener(state);
    this.#listeners.add(told);
    return () => void this.#listeners.delete(told);
  }

  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#wire?.answeredBefore(monotonicMs);
  }

  close({ timeoutMs = CLOSE_MS, leavesNodes = false }: SessionCloseOptions = {}): Promise<void> {
    if (leavesNodes) this.#end('closed');
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#parts.process.runtime.timer(timeoutMs, () => this.#told?.(), {
        awaited: true,
      });
      const before = this.#told;
      const told = (): void => {
        this.#told = undefined;
        cancel();
        this.#end('closed');
        before?.();
        resolve();
      };
      this.#told = told;
      if (before === undefined && this.#state === 'connected') this.#sayGoodbye();
    });
  }

  get #isOver(): boolean {
    return this.#state !== 'connected' && this.#state !== 'disconnected';
  }

  /** Rejects with what the port says. */
  ask<T>(request: Request, read: (answer: Answer, sentAt: Instant) => T): Promise<T> {
    const wire = this.#wire;
    if (this.#state !== 'connected' || wire === undefined || this.#told !== undefined)
      return Promise.reject(this.#notSent(request.kind));
    // As the real client does: such a path is never sent.
    if (!isSendable(request)) return Promise.reject(refusal('BADARGUMENTS', request));
    return new Promise((resolve, reject) => {
      wire.send(request, {
        answered: (answer, sentAt) => {
          if (answer.code === undefined) resolve(read(answer, sentAt));
          else reject(refusal(answer.code, request));
        },
        lost: (cause) =>
          reject(new SessionDoubt(`${request.kind} was sent and not answered`, cause)),
      });
    });
  }

  #notSent(kind: string): SessionUnavailable {
    const why = this.#told === undefined ? this.#state : 'closing';
    return new SessionUnavailable(`${kind} was not sent: the session is ${why}`, this.#cause);
  }

  #dial(server: SimZooKeeperServer): void {
    this.#address = server.name;
    const { process, network } = this.#parts;
    const wire: Wire = new Wire({
      process,
      network,
      server,
      greeting: () => this.#greeting,
      greeted: (session, sentAt) => this.#greeted(wire, session, sentAt),
      heard: ({ zxid }) => this.#seen(zxid),
      watchFired: (path) => this.watches.fire(path),
      lost: (cause) => this.#lost(wire, cause),
    });
    this.#wire = wire;
  }

  get #greeting(): Greeting {
    const { timeoutMs, identity } = this.#parts;
    return { session: this.#session, timeoutMs, identity, zxid: this.#zxid };
  }

  #greeted(wire: Wire, session: ServerSession | undefined, sentAt: Instant): void {
    if (session === undefined) {
      this.#end('expired');
      return;
    }
    this.#session = session;
    this.#validated = sentAt;
    this.#redialler.up();
    this.#setWatchesAgain(wire);
    this.#become('connected');
    this.#opened?.();
    if (this.#told !== undefined) this.#sayGoodbye();
  }

  #setWatchesAgain(wire: Wire): void {
    if (this.watches.isEmpty) return;
    const [there, missing] = [this.watches.paths(false), this.watches.paths(true)];
    wire.send({ kind: 'setWatches', there, missing, zxid: this.#zxid }, undefined);
  }

  #seen(zxid: number): void {
    this.#zxid = Math.max(this.#zxid, zxid);
  }

  #lost(wire: Wire, cause: Error): void {
    if (this.#wire !== wire) return;
    this.#wire = undefined;
    this.#cause = cause;
    if (this.#isOver) return;
    if (this.#state === 'connected') this.#become('disconnected');
    this.#redialler.down();
  }

  #sayGoodbye(): void {
    this.#wire?.send({ kind: 'close' }, { answered: () => this.#told?.(), lost: () => {} });
  }

  #end(state: 'expired' | 'closed'): void {
    if (this.#isOver) return;
    this.#redialler.stop();
    this.#become(state);
    this.#wire?.end(new Error(`the session is ${state}`));
    this.#wire = undefined;
    this.watches.endAll();
    this.#told?.();
  }

  #become(state: SessionState): void {
    this.#state = state;
    for (const listener of Array.from(this.#listeners)) listener(state);
  }
}

function isSendable(request: Request): boolean {
  if (!('path' in request) || request.path === '/') return true;
  const isSequential = request.kind === 'create' && request.mode === 'ephemeral-sequential';
  return isValid(isSequential ? `${request.path}0` : request.path);
}

function refusal(code: ReplyCode, request: Request): SessionReplyError {
  return new SessionReplyError(code, `${request.kind} ${describeRequest(request)}: ${code}`);
}
