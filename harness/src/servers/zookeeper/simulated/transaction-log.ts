import type { Owner } from '../../../sim/event-queue.ts';
import type { RestartOptions } from '../../../sim/restart.ts';
import type { Identities, NodeAcl } from './acl.ts';
import type { Answer } from './request.ts';
import type { ServerSession } from './session.ts';

/** What a transaction does to the tree, worked out by the leader, applied by every server alike. */
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
  /** What was refused takes its place in the order too. */
  | { readonly kind: 'refused' };

/** Who waits for a transaction, or for a sync, on the server that was asked for it. */
export interface Waiter {
  readonly program: Owner;
  /** Whom its client had proven to be when it came. */
  readonly identities: Identities;
  done(answer: Answer): void;
  /** The leader has nothing to do with that session any more, or not over this server: the connection ends. */
  refused(): void;
}

/** One entry of the log. */
export class Transaction {
  readonly zxid: number;
  readonly change: Change;
  readonly answer: Answer;
  readonly waiter: Waiter | undefined;

  constructor(zxid: number, change: Change, answer: Answer, waiter: Waiter | undefined) {
    this.zxid = zxid;
    this.change = change;
    this.answer = answer;
    this.waiter = waiter;
  }
}

/** What a server keeps on disk: its log, committed or not, and the epoch it has acknowledged. */
export class Storage {
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

  /** Takes over the log of a leader; returns how many entries at its beginning were the same. */
  adopt(log: readonly Transaction[], epoch: number): number {
    let same = Math.min(this.log.length, log.length);
    while (same > 0 && this.log[same - 1] !== log[same - 1]) same--;
    this.log = this.log.slice(0, same).concat(log.slice(same));
    this.epoch = epoch;
    return same;
  }
}
