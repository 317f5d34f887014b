import type { FaultId } from '@holdfast/core/backend';
import { faultsWithoutEffect } from '../find/adapt-schedule.ts';
import { setupOf } from '../search/index.ts';
import { batchOf, type Op, type Schedule, schedulesFor } from '../simulator/index.ts';
import type { LockChoice, Playable } from './playable.ts';

/** What a reader chose. */
export interface Choice extends LockChoice {
  readonly fault: FaultId;
  /** Number of clients, 2 to {@link CLIENTS_MAX}. */
  readonly clients: number;
  /** The same number deals the same schedule. */
  readonly seed: number;
}

export const CLIENTS_MAX = 5;
const LETTERS = 'abcde';

/** A schedule for this choice: the first of a batch in which all faults take effect, one while a client holds and another waits. */
export async function dealt(choice: Choice, { subject, player }: Playable): Promise<Schedule> {
  const { fault, clients, seed } = choice;
  const schedules = batchOf(schedulesFor([fault], setupOf({ subject })), seed, 0).map((schedule) =>
    withClients(schedule, clients),
  );
  for (const schedule of schedules) {
    if (schedule.ops.length === 0 || isEmpty(schedule, fault)) continue;
    const played = await player(schedule, subject);
    if (played.effective && faultsWithoutEffect(played).length === 0) return schedule;
  }
  return schedules.find(({ ops }) => ops.length > 0) ?? schedules[0]!;
}

function isEmpty({ faults }: Schedule, fault: FaultId): boolean {
  return fault !== 'none' && faults.length === 0;
}

/** The schedule with this number of clients: those beyond the generated three do what these do, a little later. */
function withClients(schedule: Schedule, clients: number): Schedule {
  const letters = LETTERS.slice(0, Math.min(clients, CLIENTS_MAX));
  const kept = schedule.ops.filter(({ client }) => letters.includes(client));
  const last = Math.max(0, ...schedule.ops.map(({ id }) => id));
  const more = Array.from(letters.slice(3), (client, i): Op => {
    const like = kept[i % Math.max(1, kept.length)];
    return {
      id: last + 1 + i,
      client,
      atMs: (like?.atMs ?? 0) + 20 * (i + 1),
      holdMs: 50,
      renews: false,
    };
  });
  const faults = schedule.faults.filter(
    ({ client }) => client === undefined || letters.includes(client),
  );
  return { ...schedule, ops: [...kept, ...more], faults };
}
