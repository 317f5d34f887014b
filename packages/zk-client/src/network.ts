/** The seam between a session and what carries its bytes: sockets, or the simulator. */

import type { ServerAddress } from './servers.ts';

/** A stream of bytes to one server. */
export interface Wire {
  /** One frame. Nothing is lost silently: frames either leave in order or the wire ends. */
  write(frame: Uint8Array): void;
  /** Whether it keeps the process alive; it does until told otherwise. */
  keepAlive(isAwaited: boolean): void;
  /** At once; no event follows. */
  destroy(): void;
}

export interface WireEvents {
  /** Connected, and encrypted where that is asked for. */
  up(): void;
  /** The chunk is good for this call only: what comes next may be read into the same memory. */
  bytes(chunk: Uint8Array): void;
  /** Once, also when it never came up. */
  down(cause: Error): void;
}

/** Opens a wire. */
export type Dial = (server: ServerAddress, events: WireEvents) => Wire;

/** Tells the IP addresses behind a name, or why there are none; once. */
export type Resolve = (host: string, callback: (found: readonly string[] | Error) => void) => void;

/** How a session reaches its servers. */
export interface Network {
  readonly dial: Dial;
  readonly resolve: Resolve;
  /** Throws `OptionError` for options of its own that cannot be right; called before anything is dialled. */
  check?(): void;
}
