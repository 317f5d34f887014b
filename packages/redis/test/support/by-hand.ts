import type { Runtime } from '@holdfast/core';
import type { Dialer, Link, LinkEvents, OutgoingCommand } from '../../src/link.ts';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** A runtime whose time is moved by hand. */
export class HandRuntime implements Runtime {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  now(): { monotonicMs: number; wallMs: number } {
    return { monotonicMs: this.#nowMs, wallMs: this.#nowMs };
  }

  elapsedMs(since: { readonly monotonicMs: number }): number {
    return this.#nowMs - since.monotonicMs;
  }

  timer(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  randomId(): string {
    return 'id';
  }

  random(): number {
    return 0;
  }

  onCollected(): () => void {
    return () => undefined;
  }

  get timersArmed(): number {
    return this.#timers.size;
  }

  /** Time passes, and timers run, as when the event loop is free. */
  pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
    }
    this.#nowMs = untilMs;
  }

  /** Time passes and no timer runs, as when the event loop is blocked. */
  block(ms: number): void {
    this.#nowMs += ms;
  }

  /** Time passes, then timers run that are due by now: the first half of a turn, before sockets are read. */
  turnLate(ms: number): void {
    this.block(ms);
    this.pass(0);
  }

  #next(untilMs: number): Timer | undefined {
    const due = [...this.#timers].filter(({ atMs }) => atMs <= untilMs);
    return due.toSorted((a, b) => a.atMs - b.atMs)[0];
  }
}

/** A connection whose other end is the test. */
export class HandLink implements Link {
  readonly events: LinkEvents;
  readonly purpose: string;
  /** The commands that the socket accepted, in order; HELLO is the first. */
  readonly written: OutgoingCommand[] = [];
  readonly #queued: OutgoingCommand[] = [];
  readonly subscribed: string[] = [];
  /** While true, messages stay in the library's queue. */
  isCongested = false;
  isAlive = false;
  isClosed = false;
  #confirm: (() => void)[] = [];

  constructor(purpose: string, events: LinkEvents) {
    this.purpose = purpose;
    this.events = events;
  }

  send(message: OutgoingCommand): void {
    this.#queued.push(message);
    if (!this.isCongested) this.flush();
  }

  flush(): void {
    for (const message of this.#queued.splice(0))
      if (message.markSent()) this.written.push(message);
  }

  subscribe(channel: string): Promise<void> {
    this.subscribed.push(channel);
    return new Promise((confirmed) => this.#confirm.push(confirmed));
  }

  confirm(): void {
    for (const confirmed of this.#confirm.splice(0)) confirmed();
  }

  unsubscribe(channel: string): void {
    this.subscribed.push(`-${channel}`);
  }

  keepAlive(alive: boolean): void {
    this.isAlive = alive;
  }

  close(): void {
    this.isClosed = true;
  }

  /** It connects, and the server returns the greeting. */
  becomeReady(): void {
    this.events.ready();
    this.written.at(0)?.answered('hello');
  }

  /** The names of the commands written, without the greeting. */
  get names(): string[] {
    return this.written.slice(1).map(({ args }) => args.join(' '));
  }
}

export class HandDialer implements Dialer {
  readonly address: string = 'there:1';
  readonly links: HandLink[] = [];

  dial(purpose: 'commands' | 'wake-ups', events: LinkEvents): Link {
    const link = new HandLink(purpose, events);
    this.links.push(link);
    return link;
  }

  /** The link dialled last. */
  get last(): HandLink {
    const link = this.links.at(-1);
    if (link === undefined) throw new Error('nothing was dialled');
    return link;
  }
}
