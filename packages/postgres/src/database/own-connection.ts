import type { Runtime } from '@holdfast/core';
import { DatabaseUnavailable, PooledSession } from '../port.ts';
import { byDeadline } from './deadline.ts';
import type { Dialer, Session } from './session.ts';

const SERVER_PROCESS = 'SELECT pg_backend_pid()::text AS pid';

/** Opens a connection by the deadline; one that comes later is closed. Rejects with a DatabaseUnavailable, or as `dial` does. */
export function dialBy(
  dialer: Dialer,
  runtime: Runtime,
  deadlineMs: number,
  otherwise: string,
): Promise<Session> {
  return byDeadline(runtime, deadlineMs, dialer.dial(), {
    error: () => new DatabaseUnavailable(`${dialer.address}: ${otherwise}`),
    onLate: (session) => session.close(),
  });
}

/**
 * Behind a transaction pooler the server's process changes between two transactions of a connection, or two connections
 * that are open at once have the same one. Rejects with a PooledSession then.
 * @param otherProcess returns the server's process behind another connection, while this one is open
 */
export async function rejectPooled(
  session: Session,
  address: string,
  otherProcess: () => Promise<string>,
): Promise<void> {
  const own = await processOf(session);
  const seen = [await processOf(session), await processOf(session)];
  const other = await otherProcess();
  seen.push(await processOf(session));
  if (other !== own && seen.every((pid) => pid === own)) return;
  throw new PooledSession(`${address}: a transaction pooler shares the connection`);
}

async function processOf(session: Session): Promise<string | null | undefined> {
  const { rows } = await session.run(SERVER_PROCESS);
  return rows[0]?.['pid'];
}
