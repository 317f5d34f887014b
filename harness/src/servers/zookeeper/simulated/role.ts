import type { Sync, Write } from './request.ts';
import type { ServerSession } from './session.ts';
import type { Waiter } from './transaction.ts';

/** What a server is at the moment: it looks for a leader, follows one, or leads. */
export interface Role {
  readonly name: 'looking' | 'following' | 'leading';
  /** Whether clients may connect. */
  readonly isServing: boolean;
  /** A client was heard. */
  touch(session: ServerSession): void;
  submit(session: ServerSession, request: Write | Sync, waiter: Waiter): void;
  /** Creates a session. */
  open(session: ServerSession, waiter: Waiter): void;
  /** A client comes back on a new connection; the leader says whether its session lives, and touches it. */
  revalidate(session: ServerSession, told: (lives: boolean) => void): void;
  /** Clients are back after a time without any, or knock at a door that is closed. */
  wake(): void;
  /** Sessions it counts the time of. */
  readonly tracked: number;
  end(): void;
}
