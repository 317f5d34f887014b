/** The port between a session and its network: sockets, or the simulator. */

import type { ServerAddress } from './servers.ts';

/** A stream of bytes to one server. */
export interface Wire {
  /** Sends one frame. Nothing is lost silently: frames are sent in order, or the wire ends. */
  write(frame: Uint8Array): void;
  /** Sets whether the wire keeps the process alive. Until the first call it does. */
  keepAlive(isAwaited: boolean): void;
  /** Ends the wire at once; no event follows. */
  destroy(): void;
}

/** What a wire reports. */
export interface WireEvents {
  /** Connected, and encrypted if TLS is used. */
  up(): void;
  /** The chunk is valid during this call only: the next one may be read into its memory. */
  bytes(chunk: Uint8Array): void;
  /** Called once, also if the wire was never up. */
  down(cause: Error): void;
}

/** Opens a wire. */
export type Dial = (server: ServerAddress, events: WireEvents) => Wire;

/** Calls back once, with the IP addresses of a name or the reason why there are none. */
export type Resolve = (host: string, callback: (found: readonly string[] | Error) => void) => void;

/** The network by which a session reaches its servers. */
export interface Network {
  /** Opens a wire to one server. */
  readonly dial: Dial;
  /** Finds the addresses of a name. */
  readonly resolve: Resolve;
  /** Throws `OptionError` for invalid options of the network; called before anything is dialled. */
  check?(): void;
}
