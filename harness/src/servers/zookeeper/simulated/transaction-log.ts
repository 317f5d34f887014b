import type { EventOwner } from '../../../sim/event-queue.ts';
import type { RestartOptions } from '../../../sim/schedule/cluster.ts';
import type { Identities, NodeAcl } from './acl.ts';
import type { ZooKeeperReply } from './request.ts';
import type { ServerSession } from './session.ts';

/** The effect of a transaction on the tree. The leader computes it, and every server applies it. */
export type Change =
  | {
      readonly kind: 'create';
      readonly path: string;
      readonly data: string;
      readonly owner: ServerSession | undefined;
      readonly isContainer: boolean;
      readonly acl: NodeAcl | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'setData'; readonly path: string; readonly data: string }
  | { readonly kind: 'createSession'; readonly session: ServerSession }
  | {
      readonly kind: 'closeSession';
      readonly session: ServerSession;
      readonly paths: readonly string[];
    }
  /** A refused request is a transaction too. */
  | { readonly kind: 'refused' };

/** Waits for a transaction or a sync, on the server that received the request. */
export interface Waiter {
  readonly program: EventOwner;
  /** The identities that the client had proven when the request arrived. */
  readonly identities: Identities;
  done(reply: ZooKeeperReply): void;
  /** The leader does not accept the session, or not at this server: the connection ends. */
  refused(): void;
}

/** One entry of the log. */
export class Transaction {
  readonly zxid: number;
  readonly change: Change;
  readonly reply: ZooKeeperReply;
  readonly waiter: Waiter | undefined;

  constructor(zxid: number, change: Change, reply: ZooKeeperReply, waiter: Waiter | undefined) {
    this.zxid = zxid;
    this.change = change;
    this.reply = reply;
    this.waiter = waiter;
  }
}

/** A server's data on disk: its log, committed or not, and the epoch it has acknowledged. */
export class DurableState {
  log: Transaction[] = [];
  epoch = 0;

  get lastZxid(): number {
    return this.log.at(-1)?.zxid ?? 0;
  }

  lose({ data, lost = 1 }: RestartOptions): void {
    if (data === 'torn') this.log = this.log.slice(0, Math.max(0, this.log.length - lost));
    if (data !== 'empty') return;
    this.log = [];
    this.epoch = 0;
  }

  /** Takes over a leader's log; returns how many entries at its start were identical. */
  adopt(log: readonly Transaction[], epoch: number): number {
    let same = Math.min(this.log.length, log.length);
    while (same > 0 && this.log[same - 1] !== log[same - 1]) same--;
    this.log = this.log.slice(0, same).concat(log.slice(same));
    this.epoch = epoch;
    return same;
  }
}
