/**
 * What the harness records and judges. Plain data, so that a history can be written to a file, and so that
 * a judge cannot tell a simulated one from a real one.
 */

/** What can go wrong; one word each in simulator, laboratory, matrix, docs and command line, which know the same list. */
export type FaultId = string;

interface ClientEvent {
  /** Position in the history; unique, growing with `atMs`. */
  readonly seq: number;
  /** The judge's clock, in ms: true time in the simulator, one shared monotonic clock on a real host. Never a faulted clock. */
  readonly atMs: number;
  readonly client: string;
  readonly key: string;
}

interface HoldEvent extends ClientEvent {
  /** One grant of the key to one client; unique within the history. */
  readonly hold: string;
}

/**
 * One thing that a client, or the resource, did. Closed-open intervals are meant throughout: a lease is valid in
 * [granted.atMs, min(validUntilMs, released, lost)).
 */
export type HistoryEvent =
  /** A client asks for the key; `hold` names the grant that may come of it. */
  | (HoldEvent & { readonly type: 'acquire' })
  /** It got it. `validUntilMs` is the end of validity on the judge's clock; `token` is decimal. */
  | (HoldEvent & {
      readonly type: 'granted';
      readonly validUntilMs: number;
      readonly token?: string | undefined;
    })
  /** It certainly did not get it. */
  | (HoldEvent & { readonly type: 'denied'; readonly reason: string })
  /** Nobody knows whether it got it. */
  | (HoldEvent & { readonly type: 'doubt'; readonly reason: string })
  /** `askedMs`: when the request left that was answered so, where one was. */
  | (HoldEvent & {
      readonly type: 'renewed';
      readonly validUntilMs: number;
      readonly askedMs?: number | undefined;
    })
  /** The lease ended because it was told so or its clock said so: validity ends here. The application may still believe, until it exits. */
  | (HoldEvent & { readonly type: 'lost'; readonly reason: string })
  /** The holder asks to give the key back: belief and validity end here, whatever becomes of the request. */
  | (HoldEvent & { readonly type: 'release' })
  | (HoldEvent & {
      readonly type: 'released';
      readonly outcome: 'released' | 'not-held' | 'unknown';
    })
  /** The application enters and leaves its critical section: what it believes, not what it may. */
  | (HoldEvent & { readonly type: 'enter' })
  | (HoldEvent & { readonly type: 'exit' })
  /** An effect as the resource logged it; `fenced` tells whether the resource compares tokens. */
  | (HoldEvent & {
      readonly type: 'write';
      readonly resource: string;
      readonly accepted: boolean;
      readonly fenced: boolean;
      readonly token?: string | undefined;
      /** The value written, and the one it was computed from, where the resource is a counter. */
      readonly value?: number | undefined;
      readonly readValue?: number | undefined;
    })
  /** The client's process stood still, died, or came back. */
  | (ClientEvent & { readonly type: 'paused'; readonly untilMs: number })
  | (ClientEvent & { readonly type: 'crashed' });

/**
 * What can be judged; four notions kept apart, see `harness/src/check`. Besides, `fifo`: whether those who
 * stay in a queue are served in its order; `ownership`: whether a request changes no hold but its own; `answers`: whether
 * what a client is told of its hold, or as it gives up waiting, is true by the servers' own record.
 */
export type PropertyId =
  | 'server-state'
  | 'validity'
  | 'belief'
  | 'resource'
  | 'fifo'
  | 'ownership'
  | 'answers';

/** A judgement, always with the operations that prove it. */
export interface Verdict {
  readonly property: PropertyId;
  readonly kind: 'ok' | 'violated' | 'unknown';
  /** One sentence for people. */
  readonly message: string;
  /** The events that prove it; for `ok`, empty. */
  readonly proof: readonly HistoryEvent[];
}
