/** What it takes to open a database over other connections, such as simulated ones. */

export { Database, type DatabaseParts } from './database/database.ts';
export type {
  BoundStatement,
  Dialer,
  Session,
  SessionReply,
  SessionSource,
} from './database/session.ts';
export { SessionPool } from './database/session-pool.ts';
