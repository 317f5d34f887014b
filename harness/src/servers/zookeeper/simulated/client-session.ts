import type { Instant } from '@holdfast/core';
import type {
  Answered,
  Content,
  Created,
  CreateOptions,
  Listing,
  NodeStat,
  SessionCloseOptions,
  SessionState,
  WatchedStat,
  ZooKeeperSession,
} from '@holdfast/zk/port';
import type { Answer } from './request.ts';
import type { SessionLink } from './session-link.ts';

/** The `ZooKeeperSession` port on a simulated process: what the real client does, over simulated connections. */
export class ClientSession implements ZooKeeperSession {
  readonly #link: SessionLink;

  constructor(link: SessionLink) {
    this.#link = link;
  }

  get id(): bigint {
    return this.#link.id;
  }

  get timeoutMs(): number {
    return this.#link.timeoutMs;
  }

  get state(): SessionState {
    return this.#link.state;
  }

  get address(): string {
    return this.#link.address;
  }

  get validated(): Instant {
    return this.#link.validated;
  }

  /** The paths that are watched. For the harness. */
  get watching(): readonly string[] {
    return this.#link.watches.all;
  }

  onState(listener: (state: SessionState) => void): () => void {
    return this.#link.onState(listener);
  }

  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#link.answeredBefore(monotonicMs);
  }

  create(path: string, data: string, { mode, acl }: CreateOptions): Promise<Created> {
    return this.#link.ask({ kind: 'create', path, data, mode, acl }, (answer, sentAt) => ({
      sentAt,
      path: answer.path ?? path,
      czxid: BigInt(answer.czxid ?? 0),
    }));
  }

  existsWatch(path: string, onChange: () => void): Promise<WatchedStat> {
    return this.#link.ask({ kind: 'existsWatch', path }, (answer, sentAt) => {
      const stat = statOf(answer);
      return { sentAt, stat, unwatch: this.#link.watches.add(path, stat === undefined, onChange) };
    });
  }

  read(path: string): Promise<Content> {
    return this.#link.ask({ kind: 'read', path }, (answer, sentAt) => ({
      sentAt,
      data: answer.data ?? '',
      stat: statOf(answer) ?? { czxid: 0n, ephemeralOwner: 0n },
    }));
  }

  list(path: string): Promise<Listing> {
    return this.#link.ask({ kind: 'list', path }, ({ children = [] }, sentAt) => ({
      sentAt,
      children,
    }));
  }

  setData(path: string, data: string): Promise<Answered> {
    return this.#link.ask({ kind: 'setData', path, data }, plain);
  }

  delete(path: string): Promise<Answered> {
    return this.#link.ask({ kind: 'delete', path }, plain);
  }

  sync(path: string): Promise<Answered> {
    return this.#link.ask({ kind: 'sync', path }, plain);
  }

  close(options?: SessionCloseOptions): Promise<void> {
    return this.#link.close(options);
  }
}

function plain(_answer: Answer, sentAt: Instant): Answered {
  return { sentAt };
}

function statOf({ czxid, owner }: Answer): NodeStat | undefined {
  if (czxid === undefined) return undefined;
  return { czxid: BigInt(czxid), ephemeralOwner: owner?.id ?? 0n };
}
