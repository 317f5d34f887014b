import type { Host } from '@holdfast/core/backend';
import type { PostgresDatabase } from '../port.ts';
import type { Sessions } from './sessions.ts';

/** The objects that all contenders and grants of one backend share. */
export interface AdvisoryStore {
  readonly database: PostgresDatabase;
  readonly host: Host;
  readonly namespace: string;
  /** How long a holder relies on a session without a reply. */
  readonly ttlMs: number;
  readonly sessions: Sessions;
}
