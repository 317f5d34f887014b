import type { Subject } from '@holdfast/harness/simulator';

/** A published lock library as one simulated process uses it, in the way that its documentation shows. */
export interface Peer {
  /** Settles as the library does; whoever asks waits for as long as it takes. */
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

/** What the library gave, and what it says of it. */
export interface Hold {
  /** For how long it says that the key is held, asked now: by a deadline that it tells, or by saying that it still is. */
  remainingMs(): number;
  readonly fencingToken?: bigint | undefined;
  release(): Promise<void>;
}

/** Where a library says no more than that the key is still held: longer than any lease, so that it ends with its holder. */
export const STILL_HELD_MS = 2 * 86_400_000;

/** How a library is opened in a process: with a client for every node. Resolves when those are connected. */
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
  /** What it promises, by which its validity is judged. */
  readonly promise: string;
  /** What it says of itself. */
  readonly says: string;
  readonly nodes: number;
  readonly renews: boolean;
  readonly tokens: boolean;
  readonly labels: NonNullable<Subject['labels']>;
  readonly points: readonly string[];
  /** After this at the latest whoever waits looks at the key again, by the settings that it is used with. */
  readonly pollMs: (ttlMs: number) => number;
  readonly open: OpenPeer;
}
