import type { EtcdReplyError, Txn } from '@holdfast/etcd/port';
import type { StoreReply } from './store.ts';

/** What one entry of the log does to the store of each server. */
export type Command =
  /** The first entry of a leader: with it, all before are committed. */
  | { readonly kind: 'term' }
  | { readonly kind: 'grant'; readonly id: bigint; readonly ttlMs: number }
  | { readonly kind: 'revoke'; readonly id: bigint }
  /** What is left of a lease, so that a later leader does not start its ttl again; 0: its whole ttl. */
  | { readonly kind: 'checkpoint'; readonly id: bigint; readonly leftMs: number }
  | { readonly kind: 'txn'; readonly txn: Txn }
  | { readonly kind: 'compact' };

/** The result of an entry: a refusal is one, too. */
export type EntryResult = StoreReply | EtcdReplyError;

/** Waits at one run of a server until that run has applied its entry. */
export interface EntryWaiter {
  /** The run of the server that proposed the entry. */
  readonly origin: object;
  /** False once its client has gone: then the entry need not be proposed any more. */
  readonly isWanted: () => boolean;
  applied(result: EntryResult): void;
}

/** A command before it has its place in the log. */
export interface Proposal {
  readonly command: Command;
  /** The process whose request led to it; undefined if the servers themselves did. */
  readonly client: string | undefined;
  readonly waiter: EntryWaiter | undefined;
}

/** One entry of the log. Entries are shared by the servers, and never change. */
export class Entry implements Proposal {
  readonly term: number;
  readonly command: Command;
  readonly client: string | undefined;
  readonly waiter: EntryWaiter | undefined;

  constructor(term: number, { command, client, waiter }: Proposal) {
    this.term = term;
    this.command = command;
    this.client = client;
    this.waiter = waiter;
  }
}

/** What a leader sends: entries behind one that the follower should have, and how far the log is committed. */
export interface Append {
  readonly term: number;
  readonly leader: number;
  readonly previous: number;
  readonly previousTerm: number;
  readonly entries: readonly Entry[];
  readonly commit: number;
}

export interface Heartbeat {
  readonly term: number;
  readonly leader: number;
  readonly commit: number;
  /** The latest read that waits for the consent of a majority. */
  readonly read: number;
}
