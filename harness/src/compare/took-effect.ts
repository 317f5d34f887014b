import type { FaultId, HistoryEvent } from '@holdfast/core';

type History = readonly HistoryEvent[];

/**
 * Whether the fault took effect while one client held and another waited; with `none`, whether that was ever so.
 * Those whom the same blow struck do not count as waiting. Without a lock nobody waits: there it is enough that the
 * fault struck.
 */
export function tookEffect(history: History, fault: FaultId, isLocked: boolean): boolean {
  const type = strikeOf(fault);
  const strikes = history.filter((event) => event.type === type);
  if (!isLocked) return fault === 'none' || strikes.length > 0;
  const struck = new Set(fault === 'none' ? [] : strikes.map(({ client }) => client));
  return strikes.some((injection) => {
    const before = history.filter(({ seq }) => seq < injection.seq);
    const others = [...waiting(before)].filter(
      (client) => client !== injection.client && !struck.has(client),
    );
    return isInside(before, injection.client) && others.length > 0;
  });
}

/** The event by which a fault shows. Contention shows when somebody leaves. */
function strikeOf(fault: FaultId): HistoryEvent['type'] {
  if (fault === 'none') return 'exit';
  return fault === 'holder-crash' ? 'crashed' : 'paused';
}

/** Whether the client is in a critical section at the end of what is known. */
function isInside(history: History, client: string): boolean {
  const own = history.filter((event) => event.client === client);
  const latest = own.findLast(({ type }) => type === 'enter' || type === 'exit');
  return latest?.type === 'enter';
}

/** Who has asked for the key and not got it, at the end of what is known. */
export function waiting(history: History): ReadonlySet<string> {
  const asked = new Map<string, string>();
  for (const event of history) {
    if (!('hold' in event)) continue;
    if (event.type === 'acquire') asked.set(event.hold, event.client);
    else asked.delete(event.hold);
  }
  return new Set(asked.values());
}

/** From the death of the holder until another client is granted the key, in ms; empty where that is not to be seen. */
export function takeoverMs(history: History): readonly number[] {
  const crash = history.find(
    ({ type, client, seq }) => type === 'crashed' && isInside(history.slice(0, seq), client),
  );
  if (crash === undefined) return [];
  const next = history.slice(crash.seq).find(({ type }) => type === 'granted');
  return next === undefined ? [] : [next.atMs - crash.atMs];
}
