import type { HostPort } from '../adapters/clients.ts';
import type { Dialer, Link, LinkEvents, LinkPurpose, OutgoingCommand } from '../link.ts';
import { NodeReplyError } from '../port.ts';
import type { FoundMaster } from './master-search.ts';
import { askRole } from './role-probe.ts';
import { addressOfHost } from './sentinel-url.ts';

export interface SentinelLinkOptions {
  readonly purpose: LinkPurpose;
  readonly events: LinkEvents;
  find(): Promise<FoundMaster>;
  /** Returns a dialer to this server. */
  dialMaster(at: HostPort): Dialer;
  /** Called when a command leaves. */
  readonly used: () => void;
  /** Called once, when the link has ended. */
  readonly over: (link: SentinelLink) => void;
}

/** A name or an address of a network that is not this one. */
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;

/** One connection to the master that the sentinels name: from the question who it is to the end of the connection. */
export class SentinelLink implements Link {
  readonly #options: SentinelLinkOptions;
  #found: FoundMaster | undefined;
  #link: Link | undefined;
  #isAlive = false;
  #isOver = false;

  constructor(options: SentinelLinkOptions) {
    this.#options = options;
    void this.#begin();
  }

  get server(): string | undefined {
    return this.#found && addressOfHost(this.#found.master);
  }

  send(message: OutgoingCommand): void {
    this.#options.used();
    if (this.#link === undefined) message.notSent(new Error('the connection was closed'));
    else this.#link.send(message);
  }

  async subscribe(channel: string, isSharded: boolean): Promise<void> {
    if (this.#link === undefined) throw new Error('the connection was closed');
    await this.#link.subscribe(channel, isSharded);
  }

  unsubscribe(channel: string, isSharded: boolean): void {
    this.#link?.unsubscribe(channel, isSharded);
  }

  keepAlive(alive: boolean): void {
    this.#isAlive = alive;
    this.#link?.keepAlive(alive);
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#link?.close();
    this.#options.over(this);
  }

  /** Ends the connection if a later search found another master; what waits for a reply is then in doubt. */
  masterIs(found: FoundMaster): void {
    const own = this.#found;
    if (own === undefined || own.search > found.search) return;
    const master = addressOfHost(found.master);
    if (master !== this.server) this.#end(new Error(`the master has moved to ${master}`));
  }

  async #begin(): Promise<void> {
    try {
      const found = await this.#options.find();
      if (!this.#isOver) this.#dial(found);
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #dial(found: FoundMaster): void {
    const { purpose, events } = this.#options;
    this.#found = found;
    const link: Link = this.#options.dialMaster(found.master).dial(purpose, {
      ready: () => askRole(link, (role) => this.#onRole(role)),
      closed: (cause) => this.#end(this.#about(cause)),
      published: (channel, text) => this.#isOver || events.published(channel, text),
      unsubscribed: (channel) => this.#isOver || events.unsubscribed(channel),
    });
    this.#link = link;
    link.keepAlive(this.#isAlive);
  }

  /** A sentinel names a master that has just become a replica, or is one of another master by mistake. */
  #onRole(role: string | undefined): void {
    if (this.#isOver) return;
    if (role === 'replica' || role === 'slave')
      this.#end(
        new Error(`${this.server} is a replica, though the sentinels name it as the master`),
      );
    else this.#options.events.ready();
  }

  /** A reply of the server speaks for itself, for example one that refuses the log-in. */
  #about(cause: Error): Error {
    if (cause instanceof NodeReplyError) return cause;
    const hint = UNREACHABLE.test(cause.message) ? '; natMap gives the address from here' : '';
    return new Error(
      `${this.server}, which the sentinels name as the master: ${cause.message}${hint}`,
    );
  }

  #end(cause: Error): void {
    if (this.#isOver) return;
    this.close();
    this.#options.events.closed(cause);
  }
}
