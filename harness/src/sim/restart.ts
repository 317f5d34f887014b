/** How a server comes back. */
export interface RestartOptions {
  /** What it still has: nothing, everything, or everything but the tail of its log. */
  readonly data: 'empty' | 'durable' | 'torn';
  /** With `torn`: how many of the last writes are gone. Default 1. */
  readonly lost?: number;
  /** How long it takes until it serves again; connections are refused meanwhile. Default 0. */
  readonly downMs?: number;
}
