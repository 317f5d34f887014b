import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Clients, hostMs } from '../../plant/index.ts';
import type { Step } from '../../simulator/index.ts';
import type { RealCluster } from '../deployments/real-cluster.ts';
import type { ChoreographyEffects } from './choreography-effects.ts';
import type { Trial } from './trial-record.ts';

/** Within which everything has to begin. */
const BEGIN_MS = 20_000;
const THINK_MS = 5;
const PROBE_EVERY_MS = 10;
/** Longer than any outage that is played. */
const PATIENCE_MS = 20_000;

export async function openAll(clients: readonly Client[], cluster: RealCluster): Promise<void> {
  await Promise.all(
    clients.map((client, place) => client.run({ kind: 'open', opening: cluster.opening(place) })),
  );
}

/**
 * The victim first, and inside, for nothing says who gets a lock first; then another, until it waits; the rest join
 * when the fault has struck, for who waits already may be asleep for a while. Resolves to when the victim got in.
 */
export async function beginAll(
  clients: Clients,
  residents: readonly Client[],
  play: TrialPlan,
): Promise<number> {
  const { victim } = clients.parts;
  const [waiter, ...late] = residents;
  const inside = victim.nextReport('inside');
  await begin(victim, { ...play, part: 'lingers' });
  await withTimeout(inside, `${victim.name} did not get in`);
  const insideMs = hostMs();
  const waiting = waiter?.nextReport('waiting') ?? Promise.resolve();
  if (waiter !== undefined) await begin(waiter, { ...play, part: 'waits' });
  await Promise.all(late.map((other) => begin(other, { ...play, part: 'joins late' })));
  await withTimeout(waiting, 'nobody waited');
  return insideMs;
}

interface TrialPlan {
  readonly trial: Trial;
  readonly effects: ChoreographyEffects;
  readonly steps: readonly Step[];
}

interface ClientRole extends TrialPlan {
  readonly part: 'lingers' | 'waits' | 'joins late';
}

async function begin(client: Client, { trial, effects, steps, part }: ClientRole): Promise<void> {
  const { key } = trial;
  const probeKey = `${key}/probe/${client.name}`;
  const { othersStay } = effects;
  // Only who is struck stands still between its last look and its write.
  const rechecksLease = !effects.writesUnchecked || part !== 'lingers';
  const restMs = part === 'lingers' ? restMsOf({ trial, effects, steps }) : 0;
  // A ttl, as a service would: what it does not know by then it says, and asks again.
  const waitMs = effects.isPatient ? PATIENCE_MS : trial.ttlMs;
  const probing = { probeEveryMs: PROBE_EVERY_MS, probeWaitMs: trial.ttlMs };
  const pace = { restMs, thinkMs: THINK_MS, waitMs, ...probing };
  const parts = { lingers: part === 'lingers' || othersStay, joinsLate: part === 'joins late' };
  const work = { key, rechecksLease, probeKey, ...parts, ...pace };
  await client.run({ kind: 'begin', work });
}

function restMsOf({ trial, effects, steps }: TrialPlan): number {
  // Else it takes the lock again itself, before whoever is not told of it could look.
  if (effects.isPatient) return PATIENCE_MS;
  // Else what the old holder asks for next arrives right behind what it sent late.
  const isAtTheEnd = steps.some((step) => step.do === 'await' && step.moment === 'end');
  return isAtTheEnd ? trial.ttlMs : 0;
}

async function withTimeout<T>(what: Promise<T>, otherwise: string): Promise<T> {
  const stop = new AbortController();
  const late = sleep(BEGIN_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${otherwise} within ${BEGIN_MS} ms`);
  });
  try {
    return await Promise.race([what, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}

/** One who has seen nothing yet, neither of these servers nor of the lock. */
export async function startNewcomer(
  clients: Clients,
  client: Client,
  { cluster, ...play }: TrialPlan & { readonly cluster: RealCluster },
): Promise<void> {
  const opening = cluster.opening(clients.clients.indexOf(client));
  await client.run({ kind: 'open', opening });
  await begin(client, { ...play, part: 'waits' });
}
