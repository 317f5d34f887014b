import type { EventOwner } from '../../../sim/event-queue.ts';
import type { Identities } from './acl.ts';
import type { Change } from './change.ts';
import type { Answer } from './request.ts';

/** Who waits for a transaction, or for a sync, on the server that was asked for it. */
export interface Waiter {
  readonly program: EventOwner;
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
