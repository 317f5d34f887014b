import type { Subject } from '@holdfast/harness/simulator';

/** A published lock library as one simulated process uses it, in the way that its documentation shows. */
export interface Peer {
  /** Settles as the library does; the caller waits for as long as it takes. */
  acquire(want: Want): Promise<Hold>;
  /** Ends the connections that were made for it. */
  close(): void;
}

export interface Want {
  readonly key: string;
  readonly ttlMs: number;
  /** Called once, when the library says that the hold is lost. */
  readonly lost: (reason: string) => void;
}

/** A lock that the library granted, and the library's reports about it. */
export interface Hold {
  /** Returns the time for which the library reports the key as held: by a deadline, or by a report that it is still held. */
  remainingMs(): number;
  readonly fencingToken?: bigint | undefined;
  release(): Promise<void>;
}

/** For a library that reports only that the key is still held: longer than any lease, so that it ends with its holder. */
export const STILL_HELD_MS = 2 * 86_400_000;

/** Opens a library in a process, with a client for every node. Resolves when those are connected. */
export type OpenPeer = (hosts: readonly string[]) => Promise<Peer>;

/** A library on the bench. */
export interface PeerLibrary {
  /** As it is called in the table. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly client: string;
  /** The call that is tried, as the documentation shows it, with the settings that differ from the defaults. */
  readonly usage: string;
  /** Its promises, by which its validity is judged. */
  readonly promise: string;
  /** Its own description. */
  readonly says: string;
  readonly nodes: number;
  readonly renews: boolean;
  readonly tokens: boolean;
  readonly labels: NonNullable<Subject['labels']>;
  readonly points: readonly string[];
  /** The longest time between two attempts of a waiter, by the settings that are used. */
  readonly pollMs: (ttlMs: number) => number;
  readonly open: OpenPeer;
}
