/** Before which call it strikes: the n-th one with this name that the first process makes, to its stock or its locks. */
interface CallAnchor {
  readonly at: 'stock' | 'lock';
  readonly before: string;
  readonly n: number;
}

/** What goes wrong while a sale is on. Times are in leases: 1 is the ttl. */
export type SaleFault =
  /** The process dies. */
  | ({ readonly kind: 'crash' } & CallAnchor)
  /** The process stands still, with all it does. */
  | ({ readonly kind: 'stand-still'; readonly leases: number } & CallAnchor)
  /** This one message is on its way until its key has become somebody else's. */
  | ({ readonly kind: 'hold-up' } & CallAnchor)
  /** The work of these requests takes so long, whoever handles them. */
  | { readonly kind: 'slow'; readonly requests: readonly number[]; readonly leases: number };

/** What strikes a process when it calls. */
export type CallFault = Exclude<SaleFault, { readonly kind: 'slow' }>;
