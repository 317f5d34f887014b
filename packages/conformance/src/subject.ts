import type { Backend, Capabilities, Host, Runtime } from '@holdfast/core';
import type { Stage } from './stage.ts';

/** A backend to be checked, and what it takes to check it: a store of its own, and the time it lives in. */
export interface Subject {
  readonly capabilities: Capabilities;
  /** Opens the backend as one process would. Every call is another process, over the same store. */
  open(host: Host): Promise<Backend>;
  /** The clocks, timers and chance of one process; by default the system's for all. */
  runtimeOf?(process: string): Runtime;
  /** How long the leases last that a check waits out, in ms; default 1 000. With sessions: their timeout. */
  readonly ttlMs?: number | undefined;
  /** What a busy machine may add to a deadline, in ms; default 5 000. 0 where time is virtual. */
  readonly slackMs?: number | undefined;
  readonly faults?: Faults | undefined;
  /**
   * What this backend is known to break: the names of checks, each with the reason. A check that is kept all the
   * same then fails, so that the list stays true.
   */
  readonly flaws?: Readonly<Record<string, string>> | undefined;
  /** Runs one check. Where time is virtual, this is what lets it pass. */
  play?(run: () => Promise<void>): Promise<void>;
  /** Called after the check, when its backends are closed. */
  close?(): Promise<void>;
}

/** What the subject can do to its store and its processes; checks that need what is missing are skipped. */
export interface Faults {
  /** From now on no call of any process is answered, until `resume`. */
  stop?(): Promise<void>;
  resume?(): Promise<void>;
  /** Requests of this process are still executed, but it gets no reply, until `restoreReplies`. */
  loseReplies?(process: string): Promise<void>;
  restoreReplies?(process: string): Promise<void>;
  /**
   * What this process sends on the connections that it has stays on its way, until `letThrough`; what it sends on new
   * ones passes. Where there are no connections, the next thing that it sends.
   */
  holdBack?(process: string): Promise<void>;
  /** Resolves when what was held back has arrived. */
  letThrough?(process: string): Promise<void>;
  /** As `holdBack`, but only on the way to so few servers of the store that the process can still lock; `letThrough` ends it too. */
  holdBackFew?(process: string): Promise<void>;
  /** The store comes back at once, without its data. */
  restartEmpty?(): Promise<void>;
  /** As few servers come back without their data as `holdBackFew` holds back from, and others. */
  restartFewEmpty?(): Promise<void>;
  /** Puts something that is no lock of this backend where `key` would stand; the result tells whether it stands there still. */
  putForeign?(key: string): Promise<() => Promise<boolean>>;
  /** Has the leases of one process end as if it had stood still for too long. Needed only where a session holds them. */
  outlive?(process: string): Promise<void>;
}

/** One rule of the contract, as a sentence and a way to find a backend that breaks it. */
export interface Check {
  readonly name: string;
  /** Why this subject cannot be asked; undefined when it can. */
  needs?(subject: Subject): string | undefined;
  /** Throws a `Breach`; or `Inapplicable` where it turns out that there is nothing to check. */
  run(stage: Stage): Promise<void>;
}
