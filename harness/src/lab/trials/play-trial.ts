import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type Clients,
  historyOf,
  hostMs,
  livingOnly,
  type Sample,
} from '../../plant/index.ts';
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

/** Before and after the fault, to have something to compare with. */
const BASELINE_MS = 300;
/** How much longer than a ttl a fault lasts, so that what it lets expire has expired. */
const BEYOND_TTL_MS = 300;
/** How long the holder stays inside beside whoever got in, so that both are seen to work. */
const OVERLAP_MS = 60;
/** How long healthy clients may take to be served again. */
const RECOVER_MS = 15_000;
/** Beside a newcomer: whoever has seen more than the servers know now may be turned away for several ttls. */
const RECOVER_WITH_NEWCOMER_MS = 2_000;
/** How long those who stay inside wait for what the old holder sends late, in ttls: their own lease lasts longer. */
const STAY_SHARE = 1 / 2;
/** A lease is renewed at a third of its ttl; one that never is must not be over by then. */
const RENEWED_SHARE = 0.4;
/** Before a lease ends by itself: its holder sends its release before it notices that nothing is answered. */
const END_MS = 80;

export interface TrialSetup {
  readonly clients: Clients;
  readonly cluster: RealCluster;
  readonly deployment: Deployment;
  readonly choreography: Choreography;
}

/**
 * One strike: a client gets in and lingers, the others wait, the fault strikes, whoever gets in gets in, the fault is
 * over, all are served again. What it meant is for the judges to say.
 */
export async function playTrial(played: TrialSetup, trial: Trial): Promise<TrialRecord> {
  const { clients, cluster, deployment, choreography } = played;
  const { told, before = [], steps } = choreography;
  const { victim, others } = clients.parts;
  const spanMs = trial.ttlMs + BEYOND_TTL_MS + (deployment.slackMs ?? 0);
  const effects = effectsOf(choreography, deployment);
  const notifications = deployment.lock?.notifiedOn ?? 'standing';
  const stage = new StepExecutor({
    clients,
    cluster,
    spanMs,
    key: trial.key,
    notifications,
  });
  const newcomer = effects.hasNewcomer ? others.at(-1) : undefined;
  const residents = others.filter((other) => other !== newcomer);
  await openAll([victim, ...residents], cluster);
  for (const step of before) await stage.execute(step);
  const insideMs = await beginAll(clients, residents, { trial, effects, steps });
  const fromMs = hostMs();
  await sleep(BASELINE_MS);

  const taken = others.map((other) => other.says('granted'));
  // Who comes anew needs not be told: where somebody is not, the others stay away.
  const [, ...rest] = others;
  const late = effects.isPatient ? rest : [];
  await injectionMs(steps, victim, { insideMs, ttlMs: trial.ttlMs });
  trial.onInject(told);
  const strikeMs = hostMs();
  for (const step of injectionSteps(steps)) await stage.execute(step);
  for (const other of others) if (!late.includes(other)) other.proceed();
  const arrived =
    newcomer === undefined
      ? undefined
      : startNewcomer(clients, newcomer, { cluster, trial, effects, steps });
  const awaited = effects.isPatient ? taken.slice(0, 1) : taken;
  await Promise.race([...awaited, sleep(effects.isPatient ? RECOVER_MS : spanMs)]);
  await sleep(OVERLAP_MS);
  await waitOut(steps, strikeMs + spanMs);
  victim.proceed();
  for (const step of recoverySteps(steps)) await stage.execute(step);
  const healedMs = hostMs();
  for (const other of late) other.proceed();
  if (effects.othersStay) {
    await Promise.race([Promise.all(taken), sleep(STAY_SHARE * trial.ttlMs)]);
    for (const other of others) other.proceed();
  }
  await arrived;
  if (deployment.lock !== undefined) await untilServed(others, effects);
  await sleep(BASELINE_MS);

  const untilMs = hostMs();
  const faulted = effects.faulted.flatMap((place) => clients.clients[place]?.name ?? []);
  const samples = await finishAll(clients, effects);
  const entries = [...(await clients.takeEntries(trial.key)), ...stage.entries];
  const since = (atMs: number): number => atMs - strikeMs;
  const probed = others.map(({ name }, index) => ({
    client: name,
    samples: (samples[index] ?? []).map((each) => ({ ...each, atMs: since(each.atMs) })),
  }));
  return {
    fault: trial.fault,
    fromMs: since(fromMs),
    healedMs: since(healedMs),
    ...(effects.recovers && { recoveredMs: since(healedMs) }),
    untilMs: since(untilMs),
    history: historyOf(livingOnly(entries), strikeMs),
    healthy: probed.filter(
      ({ client }, index) => !effects.unwatched.includes(index + 1) && client !== newcomer?.name,
    ),
    victim: victim.name,
    faulted,
    renews: deployment.lock?.renews !== false,
    expectsHandover: effects.expectsHandover,
    missedNotification: effects.isPatient,
    told,
  };
}

interface HeldLease {
  /** When its holder got in. */
  readonly insideMs: number;
  readonly ttlMs: number;
}

/** When the fault is to strike. */
async function injectionMs(
  steps: readonly Step[],
  victim: Client,
  { insideMs, ttlMs }: HeldLease,
): Promise<void> {
  const step = steps.find(({ do: what }) => what === 'await');
  if (step?.do !== 'await') return;
  if (step.moment === 'renewal')
    await Promise.race([victim.says('renewed'), sleep(RENEWED_SHARE * ttlMs)]);
  else await sleep(Math.max(0, insideMs + ttlMs - END_MS - hostMs()));
}

/** Unless it is over as soon as somebody took over it lasts for its whole span, whoever got in meanwhile. */
async function waitOut(steps: readonly Step[], untilMs: number): Promise<void> {
  const leftMs = untilMs - hostMs();
  const ends = steps.some((step) => step.do === 'hold' && step.until === 'takeover');
  if (!ends && leftMs > 0) await sleep(leftMs);
}

/** Each of them its own key, and one of them the shared one, from now on; what is not is seen in what was written down. */
async function untilServed(
  others: readonly Client[],
  { hasNewcomer }: ChoreographyEffects,
): Promise<void> {
  const probed = others.map((other) => other.says('probed'));
  const granted = Promise.race(others.map((other) => other.says('granted')));
  const recoverMs = hasNewcomer ? RECOVER_WITH_NEWCOMER_MS : RECOVER_MS;
  await Promise.race([Promise.all([...probed, granted]), sleep(recoverMs)]);
}

/** What the probes of the others saw. */
async function finishAll(
  clients: Clients,
  { holderDies }: ChoreographyEffects,
): Promise<readonly (readonly Sample[])[]> {
  const { victim, others } = clients.parts;
  if (holderDies) clients.replace(victim);
  else {
    victim.proceed();
    await victim.ask({ kind: 'finish' });
  }
  return await Promise.all(others.map((other) => other.ask({ kind: 'finish' })));
}
