import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Clients, hostMs } from '../../real/index.ts';
import type { Step } from '../../simulator/index.ts';
import type { RealCluster } from '../deployments/real-cluster.ts';
import type { ChoreographyEffects } from './choreography-effects.ts';
import type { Trial } from './trial-record.ts';

/** The time in which clients have to begin, in ms. */
const BEGIN_MS = 20_000;
const THINK_MS = 5;
const PROBE_EVERY_MS = 10;
/** Longer than any outage of a trial, in ms. */
const PATIENCE_MS = 20_000;

export async function openAll(clients: readonly Client[], cluster: RealCluster): Promise<void> {
  await Promise.all(
    clients.map((client, place) => client.run({ kind: 'open', opening: cluster.opening(place) })),
  );
}

/**
 * Starts the victim first, until it holds, because which client acquires first is up to chance; then a waiter, until it waits.
 * The rest join after the fault was injected, because a client that already waits may be asleep. Resolves to the time at
 * which the victim entered its critical section.
 */
export async function beginAll(
  clients: Clients,
  residents: readonly Client[],
  play: TrialPlan,
): Promise<number> {
  const { victim } = clients.parts;
  const [waiter, ...late] = residents;
  const inside = victim.nextReport('inside');
  await begin(victim, { ...play, role: 'lingers' });
  await withTimeout(inside, `${victim.name} did not acquire the key`);
  const insideMs = hostMs();
  const waiting = waiter?.nextReport('waiting') ?? Promise.resolve();
  if (waiter !== undefined) await begin(waiter, { ...play, role: 'waits' });
  await Promise.all(late.map((other) => begin(other, { ...play, role: 'joins late' })));
  await withTimeout(waiting, 'no client waited');
  return insideMs;
}

interface TrialPlan {
  readonly trial: Trial;
  readonly effects: ChoreographyEffects;
  readonly steps: readonly Step[];
}

interface ClientRole extends TrialPlan {
  readonly role: 'lingers' | 'waits' | 'joins late';
}

async function begin(client: Client, { trial, effects, steps, role }: ClientRole): Promise<void> {
  const { key } = trial;
  const probeKey = `${key}/probe/${client.name}`;
  const { othersStay } = effects;
  // Only the victim is paused between its last check and its write.
  const rechecksLease = !effects.writesUnchecked || role !== 'lingers';
  const restMs = role === 'lingers' ? restMsOf({ trial, effects, steps }) : 0;
  // One ttl, as in a service: then it gets an error, and requests again.
  const waitMs = effects.isPatient ? PATIENCE_MS : trial.ttlMs;
  const probing = { probeEveryMs: PROBE_EVERY_MS, probeWaitMs: trial.ttlMs };
  const pace = { restMs, thinkMs: THINK_MS, waitMs, ...probing };
  const parts = { lingers: role === 'lingers' || othersStay, joinsLate: role === 'joins late' };
  const work = { key, rechecksLease, probeKey, ...parts, ...pace };
  await client.run({ kind: 'begin', work });
}

function restMsOf({ trial, effects, steps }: TrialPlan): number {
  // Otherwise it acquires again itself, before the waiter that was not notified could poll.
  if (effects.isPatient) return PATIENCE_MS;
  // Otherwise its next request arrives right behind its late release.
  const isAtTheEnd = steps.some((step) => step.do === 'await' && step.moment === 'end');
  return isAtTheEnd ? trial.ttlMs : 0;
}

async function withTimeout<T>(what: Promise<T>, failure: string): Promise<T> {
  const stop = new AbortController();
  const late = sleep(BEGIN_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${failure} within ${BEGIN_MS} ms`);
  });
  try {
    return await Promise.race([what, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}

/** Starts a client that has seen neither these servers nor the lock. */
export async function startNewcomer(
  clients: Clients,
  client: Client,
  { cluster, ...play }: TrialPlan & { readonly cluster: RealCluster },
): Promise<void> {
  const opening = cluster.opening(clients.clients.indexOf(client));
  await client.run({ kind: 'open', opening });
  await begin(client, { ...play, role: 'waits' });
}
