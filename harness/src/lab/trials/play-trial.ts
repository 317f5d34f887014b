import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type Clients,
  historyOf,
  hostMs,
  livingOnly,
  type Sample,
} from '../../real/index.ts';
import type { Choreography, Deployment, Step } from '../../simulator/index.ts';
import type { RealCluster } from '../deployments/real-cluster.ts';
import {
  type ChoreographyEffects,
  effectsOf,
  injectionSteps,
  recoverySteps,
} from './choreography-effects.ts';
import { beginAll, openAll, startNewcomer } from './start-clients.ts';
import { StepExecutor } from './step-executor.ts';
import type { Trial, TrialRecord } from './trial-record.ts';

/** The baseline before and after the fault, in ms. */
const BASELINE_MS = 300;
/** The time beyond a ttl that a fault lasts, in ms, so that leases expire. */
const BEYOND_TTL_MS = 300;
/** The time that the old holder and the new one stay inside together, in ms, so that both are seen to work. */
const OVERLAP_MS = 60;
/** The time in which healthy clients have to be served again, in ms. */
const RECOVER_MS = 15_000;
/** The same beside a newcomer: a client that has seen more than the servers know may be refused for several ttls. */
const RECOVER_WITH_NEWCOMER_MS = 2_000;
/** The time that clients inside wait for the old holder's late requests, in ttls; their own lease lasts longer. */
const STAY_SHARE = 1 / 2;
/**
 * The wait for a renewal, in ttls. A lease is renewed at a third of its ttl; one that is never renewed is still valid
 * then.
 */
const RENEWED_SHARE = 0.4;
/**
 * The time before its end at which a lease is cut off, in ms: its holder sends its release before it notices that no
 * reply comes.
 */
const END_MS = 80;

export interface TrialSetup {
  readonly clients: Clients;
  readonly cluster: RealCluster;
  readonly deployment: Deployment;
  readonly choreography: Choreography;
}

/**
 * Runs one trial: a client acquires the key and lingers, the others wait, the fault is injected, another client may acquire,
 * the fault ends, all clients are served again. The judges say what it means.
 * Rejects as soon as a client fails, or ends by itself.
 */
export async function playTrial(setup: TrialSetup, trial: Trial): Promise<TrialRecord> {
  const { clients, cluster, deployment, choreography } = setup;
  const { description, before = [], steps } = choreography;
  const { victim, others } = clients.parts;
  const { failure } = clients;
  failure.catch(() => undefined);
  const whileAllLive = <T>(what: Promise<T>): Promise<T> => Promise.race([what, failure]);
  const spanMs = trial.ttlMs + BEYOND_TTL_MS + (deployment.slackMs ?? 0);
  const effects = effectsOf(choreography, deployment);
  const notifications = deployment.lock?.notifiedOn ?? 'open';
  const executor = new StepExecutor({
    clients,
    cluster,
    spanMs,
    key: trial.key,
    notifications,
  });
  const execute = async (some: readonly Step[]): Promise<void> => {
    for (const step of some) await whileAllLive(executor.execute(step));
  };
  const newcomer = effects.hasNewcomer ? others.at(-1) : undefined;
  const residents = others.filter((other) => other !== newcomer);
  try {
    await whileAllLive(openAll([victim, ...residents], cluster));
    await execute(before);
    const insideMs = await whileAllLive(beginAll(clients, residents, { trial, effects, steps }));
    const fromMs = hostMs();
    await whileAllLive(sleep(BASELINE_MS));

    const granted = others.map((other) => other.nextReport('granted'));
    // A waiter that missed its notification is observed alone: the other clients join after the fault.
    const [, ...rest] = others;
    const joiningLate = effects.isPatient ? rest : [];
    await whileAllLive(untilInjection(steps, victim, { insideMs, ttlMs: trial.ttlMs }));
    trial.onInject(description);
    const injectedMs = hostMs();
    await execute(injectionSteps(steps));
    for (const other of others) if (!joiningLate.includes(other)) other.proceed();
    const newcomerStarted =
      newcomer === undefined
        ? undefined
        : startNewcomer(clients, newcomer, { cluster, trial, effects, steps });
    const awaited = effects.isPatient ? granted.slice(0, 1) : granted;
    await whileAllLive(Promise.race([...awaited, sleep(effects.isPatient ? RECOVER_MS : spanMs)]));
    await whileAllLive(sleep(OVERLAP_MS));
    await whileAllLive(waitOut(steps, injectedMs + spanMs));
    victim.proceed();
    await execute(recoverySteps(steps));
    const healedMs = hostMs();
    for (const other of joiningLate) other.proceed();
    if (effects.othersStay) {
      await whileAllLive(Promise.race([Promise.all(granted), sleep(STAY_SHARE * trial.ttlMs)]));
      for (const other of others) other.proceed();
    }
    await newcomerStarted;
    if (deployment.lock !== undefined) await whileAllLive(untilServed(others, effects));
    await whileAllLive(sleep(BASELINE_MS));

    const untilMs = hostMs();
    const namesOf = (places: readonly number[]): readonly string[] =>
      places.flatMap((place) => clients.clients[place]?.name ?? []);
    const faulted = namesOf(effects.faulted);
    const heldBack = namesOf(effects.heldBack);
    const samples = await whileAllLive(finishAll(clients, effects));
    const entries = [...(await clients.takeEntries(trial.key)), ...executor.entries];
    const since = (atMs: number): number => atMs - injectedMs;
    const probed = others.map(({ name }, index) => ({
      client: name,
      samples: (samples[index] ?? []).map((each) => ({ ...each, atMs: since(each.atMs) })),
    }));
    return {
      fault: trial.fault,
      judgedBy: trial.judgedBy,
      fromMs: since(fromMs),
      healedMs: since(healedMs),
      ...(effects.recovers && { recoveredMs: since(healedMs) }),
      untilMs: since(untilMs),
      history: historyOf(livingOnly(entries), injectedMs),
      healthy: probed.filter(
        ({ client }, index) => !effects.unwatched.includes(index + 1) && client !== newcomer?.name,
      ),
      victim: victim.name,
      faulted,
      heldBack,
      renews: deployment.lock?.renews !== false,
      expectsHandover: effects.expectsHandover,
      missedNotification: effects.isPatient,
      description,
    };
  } finally {
    executor.stop();
  }
}

interface HeldLease {
  /** The time at which its holder entered its critical section. */
  readonly insideMs: number;
  readonly ttlMs: number;
}

/** Waits for the moment at which the fault is to be injected. */
async function untilInjection(
  steps: readonly Step[],
  victim: Client,
  { insideMs, ttlMs }: HeldLease,
): Promise<void> {
  const step = steps.find(({ do: what }) => what === 'await');
  if (step?.do !== 'await') return;
  if (step.moment === 'renewal')
    await Promise.race([victim.nextReport('renewed'), sleep(RENEWED_SHARE * ttlMs)]);
  else await sleep(Math.max(0, insideMs + ttlMs - END_MS - hostMs()));
}

/** Waits until the fault's span is over, unless the fault ends with a takeover. */
async function waitOut(steps: readonly Step[], untilMs: number): Promise<void> {
  const leftMs = untilMs - hostMs();
  const ends = steps.some((step) => step.do === 'hold' && step.until === 'takeover');
  if (!ends && leftMs > 0) await sleep(leftMs);
}

/**
 * Waits until each client was granted its own key, and one of them the shared key. The log shows what was not granted.
 */
async function untilServed(
  others: readonly Client[],
  { hasNewcomer }: ChoreographyEffects,
): Promise<void> {
  const probed = others.map((other) => other.nextReport('probed'));
  const granted = Promise.race(others.map((other) => other.nextReport('granted')));
  const recoverMs = hasNewcomer ? RECOVER_WITH_NEWCOMER_MS : RECOVER_MS;
  await Promise.race([Promise.all([...probed, granted]), sleep(recoverMs)]);
}

/** Finishes all clients; resolves to the samples of the other clients' probes. */
async function finishAll(
  clients: Clients,
  { holderDies }: ChoreographyEffects,
): Promise<readonly (readonly Sample[])[]> {
  const { victim, others } = clients.parts;
  if (holderDies) clients.replace(victim);
  else {
    victim.proceed();
    await victim.run({ kind: 'finish' });
  }
  return await Promise.all(others.map((other) => other.run({ kind: 'finish' })));
}
