import type { Runtime } from '@holdfast/core';
import type { Dialer, Link } from './link.ts';
import { Probe } from './liveness.ts';
import { CONNECT_TURNS, patientTimer } from './patient-timer.ts';
import { NodeReplyError, type Reply } from './port.ts';
import { codeOf } from './replies.ts';

export interface RedialerOptions {
  readonly runtime: Runtime;
  readonly dialer: Dialer;
  readonly purpose: 'commands' | 'wake-ups';
  /** The limit of one attempt: name, TCP, TLS and log-in together, since each of them can hang. */
  readonly connectMs: number;
  readonly up: (link: Link) => void;
  /** Called if the link was lost, or an attempt failed; `state` is the next state. */
  readonly down: (cause: Error) => void;
  readonly published?: (channel: string, text?: string) => void;
  readonly unsubscribed?: (channel: string) => void;
  /** Called with the reply to HELLO; returns why this server must not be used. */
  readonly unfit?: ((hello: Reply) => Error | undefined) | undefined;
}

/** Keeps one link up: connects, again at once after a loss, and with growing pauses after failures. */
export class Redialer {
  readonly #options: RedialerOptions;
  #state: 'idle' | 'connecting' | 'up' | 'pausing' | 'closed' = 'idle';
  #link: Link | undefined;
  #failures = 0;
  #alive = false;
  #cancelTimer: (() => void) | undefined;
  #lastCause: Error | undefined;

  constructor(options: RedialerOptions) {
    this.#options = options;
    options.dialer.onNotification?.(() => this.#cutPause());
  }

  get state(): 'idle' | 'connecting' | 'up' | 'pausing' | 'closed' {
    return this.#state;
  }

  /** The reason if there is no link. */
  get lastCause(): Error | undefined {
    return this.#lastCause;
  }

  /** Connects unless it has started already. */
  start(): void {
    if (this.#state === 'idle') this.#dial();
  }

  /** The link has served, so that its loss is no failure to connect. */
  proven(): void {
    this.#failures = 0;
  }

  /** Drops the link, or the attempt, and connects anew. */
  drop(cause: Error): void {
    if (this.#state === 'up' || this.#state === 'connecting') this.#lost(cause);
  }

  /** Ends the link, and connects again only at `start`. */
  pause(): void {
    if (this.#state === 'closed') return;
    this.#end();
    this.#state = 'idle';
  }

  keepAlive(alive: boolean): void {
    this.#alive = alive;
    this.#link?.keepAlive(alive);
  }

  close(): void {
    this.#end();
    this.#state = 'closed';
  }

  #dial(): void {
    const { runtime, dialer, purpose, connectMs, published, unsubscribed } = this.#options;
    this.#state = 'connecting';
    const link = dialer.dial(purpose, {
      ready: () => this.#link === link && this.#sendHello(link),
      closed: (cause) => this.#link === link && this.#lost(cause),
      published: (channel, text) => this.#link === link && published?.(channel, text),
      unsubscribed: (channel) => this.#link === link && unsubscribed?.(channel),
    });
    this.#link = link;
    link.keepAlive(this.#alive);
    this.#cancelTimer = patientTimer(runtime, connectMs, CONNECT_TURNS, () =>
      this.#lost(new Error(`no connection to ${dialer.address} within ${connectMs} ms`)),
    );
  }

  /**
   * A socket that connected may still lead nowhere: a proxy, or a server that is paused. A command that is written to it
   * would be in doubt for nothing, so a link is up only once a reply has come. HELLO without arguments changes nothing, and
   * every user may send it, even one with few permissions.
   */
  #sendHello(link: Link): void {
    if (this.#options.purpose === 'wake-ups') this.#ready(link);
    else
      link.send(
        new Probe(
          'HELLO',
          (hello) => this.#link === link && this.#onGreeting(link, hello),
          (refusal) => this.#link === link && this.#onRefusal(link, refusal),
        ),
      );
  }

  #onGreeting(link: Link, hello: Reply): void {
    const reason = this.#options.unfit?.(hello);
    if (reason === undefined) this.#ready(link);
    else this.#lost(reason);
  }

  /** A server that has too many clients replies so, and closes; any other error leaves the link up. */
  #onRefusal(link: Link, refusal: string): void {
    if (refusal.includes('max number of clients')) {
      this.#lost(new NodeReplyError(codeOf(refusal), refusal));
    } else {
      this.#ready(link);
    }
  }

  #ready(link: Link): void {
    if (this.#state !== 'connecting') return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#state = 'up';
    this.#lastCause = undefined;
    this.#options.up(link);
  }

  #lost(cause: Error): void {
    this.#end();
    this.#lastCause = cause;
    const pauseMs = this.#nextPauseMs();
    this.#state = pauseMs === 0 ? 'idle' : 'pausing';
    if (pauseMs === 0) this.#dial();
    else this.#cancelTimer = this.#options.runtime.timer(pauseMs, () => this.#dial());
    this.#options.down(cause);
  }

  #cutPause(): void {
    if (this.#state !== 'pausing') return;
    this.#cancelTimer?.();
    this.#dial();
  }

  #nextPauseMs(): number {
    const failures = this.#failures++;
    return failures === 0 ? 0 : backOffMs(failures, this.#options.runtime.random());
  }

  #end(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const link = this.#link;
    this.#link = undefined;
    link?.close();
  }
}

const BACK_OFF_MS_MIN = 25;
const BACK_OFF_MS_MAX = 1_000;

/**
 * Returns the pause before the next attempt after `failures` ≥ 1 failures in a row: doubling from 25 ms to 1 s, less a
 * random part of up to half, so that the clients of a restarted server do not come back in step.
 */
export function backOffMs(failures: number, random: number): number {
  const longestMs = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(failures - 1, 10));
  return longestMs * (1 - random / 2);
}
