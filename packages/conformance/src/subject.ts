import type { Backend, Capabilities, Host, Runtime } from '@holdfast/core/backend';
import type { Stage } from './stage.ts';

/** A backend to check, with its own store and its clocks. */
export interface BackendUnderTest {
  /** What the backend promises, before one is open: it decides which checks apply. */
  readonly capabilities: Capabilities;
  /** Opens the backend as one process would. Every call is another process, over the same store. */
  open(host: Host): Promise<Backend>;
  /** The clocks, timers and random source of one process. Default: those of the system. */
  runtimeOf?(process: string): Runtime;
  /** The ttl of leases whose end a check waits for, in ms; default 1 000. With sessions: their timeout. */
  readonly ttlMs?: number | undefined;
  /** Tolerance of deadlines for a busy machine, in ms; default 5 000. Use 0 with virtual time. */
  readonly slackMs?: number | undefined;
  /** The requests of one renewal that follow each other, each within a call deadline of its own; default 1. */
  readonly renewalCalls?: number | undefined;
  /** What can be done to the store and its processes; default: nothing, so that fewer checks apply. */
  readonly faults?: Faults | undefined;
  /**
   * Known breaches of this backend: names of checks, each with the reason. Such a check fails if the backend keeps its
   * rule, so that the list stays true.
   */
  readonly flaws?: Readonly<Record<string, string>> | undefined;
  /** Runs one check. With virtual time, this advances the time. */
  play?(run: () => Promise<void>): Promise<void>;
  /** Called after the check, when its backends are closed. */
  close?(): Promise<void>;
}

/** Faults that the subject can inject into its store and its processes. Checks that need a missing one are skipped. */
export interface Faults {
  /** Stops all replies to all processes, until `resume`. */
  stop?(): Promise<void>;
  /** Ends `stop`: the store replies again. */
  resume?(): Promise<void>;
  /** Drops the replies to this process, until `restoreReplies`; its requests are still executed. */
  loseReplies?(process: string): Promise<void>;
  /** Ends `loseReplies`; replies that were dropped stay lost. */
  restoreReplies?(process: string): Promise<void>;
  /**
   * Delays all requests of this process on its current connections, until `letThrough`; requests on new connections
   * pass. Without connections, it delays the next request.
   */
  holdBack?(process: string): Promise<void>;
  /** Resolves when all delayed requests have arrived. */
  letThrough?(process: string): Promise<void>;
  /**
   * Like `holdBack`, but only to so few servers of the store that the process can still lock. `letThrough` ends it,
   * too.
   */
  holdBackFew?(process: string): Promise<void>;
  /** Restarts the store at once, without its data. */
  restartEmpty?(): Promise<void>;
  /** Restarts other servers without their data, as few as `holdBackFew` delays requests to. */
  restartFewEmpty?(): Promise<void>;
  /**
   * Stores a value that is not a lock of this backend under `key`; the result resolves to true while it is still
   * stored.
   */
  putForeign?(key: string): Promise<() => Promise<boolean>>;
  /** Ends the leases of one process as if it had been paused for too long. Needed only on session backends. */
  outlive?(process: string): Promise<void>;
}

/** One rule of the contract: a sentence, and a check that detects a backend that breaks it. */
export interface Check {
  /** The rule, as a sentence; it is how `flaws` names the check. */
  readonly name: string;
  /** The reason why this check does not apply to the subject; undefined if it does. */
  needs?(subject: BackendUnderTest): string | undefined;
  /** Throws a `Breach`, or `Inapplicable` if there is nothing to check. */
  run(stage: Stage): Promise<void>;
}
