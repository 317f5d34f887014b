import type { ZooKeeperSession } from '../port.ts';

/** How often the first waiter for permits looks by itself: a holder that died wakes nobody. */
export const PERMITS_POLL_MS = 1_000;

/**
 * Wakes the first waiter for permits, who watches the container: it writes the data that are there once more. Any one of many
 * holders may be the one who lets it in, so it watches none of them. Never rejects: it polls, too.
 */
export async function wakeFirstWaiter(session: ZooKeeperSession, container: string): Promise<void> {
  try {
    const { data, stat } = await session.read(container);
    await session.setData(container, data, stat.version);
  } catch {
    // Gone, disconnected, or changed by another client, which wakes it as well.
  }
}
