import type { HoldMode } from './port.ts';

/**
 * Histories, which the harness records and judges. They are plain data, so that they can be written to a file, and so
 * that a judge cannot distinguish a simulated history from a real one.
 */

/** The name of a fault. Simulator, laboratory, matrix, docs and command line use one list of names. */
export type FaultId = string;

interface ClientEvent {
  /** Position in the history; unique, and grows with `atMs`. */
  readonly seq: number;
  /**
   * The judge's clock, in ms: true time in the simulator, one shared monotonic clock on a real host. Never a faulted
   * clock.
   */
  readonly atMs: number;
  readonly client: string;
  readonly key: string;
}

interface HoldEvent extends ClientEvent {
  /** One grant of the key to one client; unique within the history. */
  readonly hold: string;
}

/**
 * One act of a client or of the resource. All intervals are closed-open: a lease is valid in
 * [granted.atMs, min(validUntilMs, released, lost)).
 */
export type HistoryEvent =
  /** A client requests the key; `hold` names the grant that may result. */
  | (HoldEvent & { readonly type: 'acquire' })
  /**
   * The client acquired the key. `validUntilMs` is the end of validity on the judge's clock; `token` is decimal. `repliedMs`: when
   * the reply came, if the lease was valid before, as after a downgrade.
   */
  | (HoldEvent & {
      readonly type: 'granted';
      readonly validUntilMs: number;
      readonly token?: string | undefined;
      readonly repliedMs?: number | undefined;
      /** Absent: exclusively. */
      readonly mode?: HoldMode | undefined;
    })
  /** The client certainly did not acquire the key. */
  | (HoldEvent & { readonly type: 'denied'; readonly reason: string })
  /** The outcome is unknown: the client may have acquired the key. */
  | (HoldEvent & { readonly type: 'doubt'; readonly reason: string })
  /** `askedMs`: the send time of the request that this replies to, if there was one. */
  | (HoldEvent & {
      readonly type: 'renewed';
      readonly validUntilMs: number;
      readonly askedMs?: number | undefined;
    })
  /**
   * The lease ended by its clock or by a reply: validity ends here. The application may still believe in it, until it
   * exits.
   */
  | (HoldEvent & { readonly type: 'lost'; readonly reason: string })
  /** The holder requests the release: belief and validity end here, whatever the outcome of the request. */
  | (HoldEvent & { readonly type: 'release' })
  | (HoldEvent & {
      readonly type: 'released';
      readonly outcome: 'released' | 'not-held' | 'unknown';
    })
  /** The application enters or leaves its critical section: this is its belief, not its right. */
  | (HoldEvent & { readonly type: 'enter' })
  | (HoldEvent & { readonly type: 'exit' })
  /** An effect as the resource logged it; `fenced` is true if the resource compares tokens. */
  | (HoldEvent & {
      readonly type: 'write';
      readonly resource: string;
      readonly accepted: boolean;
      readonly fenced: boolean;
      readonly token?: string | undefined;
      /** The value written, and the value it was computed from, if the resource is a counter. */
      readonly value?: number | undefined;
      readonly readValue?: number | undefined;
    })
  /** The client's process was paused until `untilMs`, or crashed. */
  | (ClientEvent & { readonly type: 'paused'; readonly untilMs: number })
  | (ClientEvent & { readonly type: 'crashed' });

/**
 * A property that can be judged. The first four are separate notions of exclusion, see `harness/src/check`. `fifo`:
 * waiters that stay in a queue are served in its order. `ownership`: a request changes no hold but its own. `answers`:
 * replies about a client's hold, and errors that end its wait, are true by the servers' own record.
 */
export type PropertyId =
  | 'server-state'
  | 'validity'
  | 'belief'
  | 'resource'
  | 'fifo'
  | 'ownership'
  | 'answers';

/** The result of a judge, always with the operations that prove it. */
export interface Verdict {
  /** The property that was judged. */
  readonly property: PropertyId;
  /** `unknown`: the history does not contain enough to tell. */
  readonly kind: 'ok' | 'violated' | 'unknown';
  /** One sentence for people. */
  readonly message: string;
  /** The events that prove it; for `ok`, empty. */
  readonly proof: readonly HistoryEvent[];
}
