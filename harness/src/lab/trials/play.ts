import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type Crew,
  historyOf,
  hostMs,
  livingOnly,
  type Sample,
} from '../../plant/index.ts';
import type { Choreography, Deployment, Step } from '../../simulator/index.ts';
import type { RealCluster } from '../sites/real-cluster.ts';
import { arrive, beginAll, openAll } from './cast.ts';
import { endsOf, type Meaning, meaningOf, strikesOf } from './meaning.ts';
import type { Trial, TrialRecord } from './record.ts';
import { Stage } from './stage.ts';

/** Before and after the fault, to have something to compare with. */
const CALM_MS = 300;
/** How much longer than a ttl a fault lasts, so that what it lets expire has expired. */
const BEYOND_TTL_MS = 300;
/** How long the holder stays inside beside whoever got in, so that both are seen to work. */
const BESIDE_MS = 60;
/** How long healthy clients may take to be served again. */
const RECOVER_MS = 15_000;
/** Beside a newcomer: whoever has seen more than the servers know now may be turned away for several ttls. */
const RECOVER_BESIDE_NEWCOMER_MS = 2_000;
/** How long those who stay inside wait for what the old holder sends late, in ttls: their own lease lasts longer. */
const STAY_SHARE = 1 / 2;
/** A lease is renewed at a third of its ttl; one that never is must not be over by then. */
const RENEWED_SHARE = 0.4;
/** Before a lease ends by itself: its holder sends its release before it notices that nothing is answered. */
const END_MS = 80;

export interface Played {
  readonly crew: Crew;
  readonly cluster: RealCluster;
  readonly deployment: Deployment;
  readonly choreography: Choreography;
}

/**
 * One strike: a client gets in and lingers, the others wait, the fault strikes, whoever gets in gets in, the fault is
 * over, all are served again. What it meant is for the judges to say.
 */
export async function playTrial(played: Played, trial: Trial): Promise<TrialRecord> {
  const { crew, cluster, deployment, choreography } = played;
  const { told, before = [], steps } = choreography;
  const { victim, others } = crew.parts;
  const spanMs = trial.ttlMs + BEYOND_TTL_MS + (deployment.slackMs ?? 0);
  const meaning = meaningOf(choreography, deployment);
  const tells = deployment.lock?.tells ?? 'standing';
  const stage = new Stage({ crew, cluster, spanMs, key: trial.key, tells });
  const newcomer = meaning.hasNewcomer ? others.at(-1) : undefined;
  const residents = others.filter((other) => other !== newcomer);
  await openAll([victim, ...residents], cluster);
  for (const step of before) await stage.do(step);
  const insideMs = await beginAll(crew, residents, { trial, meaning, steps });
  const fromMs = hostMs();
  await sleep(CALM_MS);

  const taken = others.map((other) => other.says('granted'));
  // Who comes anew needs not be told: where somebody is not, the others stay away.
  const [, ...rest] = others;
  const late = meaning.isPatient ? rest : [];
  await momentOf(steps, victim, { insideMs, ttlMs: trial.ttlMs });
  trial.striking(told);
  const strikeMs = hostMs();
  for (const step of strikesOf(steps)) await stage.do(step);
  for (const other of others) if (!late.includes(other)) other.proceed();
  const arrived =
    newcomer === undefined ? undefined : arrive(crew, newcomer, { cluster, trial, meaning, steps });
  const awaited = meaning.isPatient ? taken.slice(0, 1) : taken;
  await Promise.race([...awaited, sleep(meaning.isPatient ? RECOVER_MS : spanMs)]);
  await sleep(BESIDE_MS);
  await outlast(steps, strikeMs + spanMs);
  victim.proceed();
  for (const step of endsOf(steps)) await stage.do(step);
  const healedMs = hostMs();
  for (const other of late) other.proceed();
  if (meaning.othersStay) {
    await Promise.race([Promise.all(taken), sleep(STAY_SHARE * trial.ttlMs)]);
    for (const other of others) other.proceed();
  }
  await arrived;
  if (deployment.lock !== undefined) await served(others, meaning);
  await sleep(CALM_MS);

  const untilMs = hostMs();
  const faulted = meaning.faulted.flatMap((place) => crew.clients[place]?.name ?? []);
  const samples = await finishAll(crew, meaning);
  const entries = [...(await crew.news(trial.key)), ...stage.entries];
  const since = (atMs: number): number => atMs - strikeMs;
  const probed = others.map(({ name }, index) => ({
    client: name,
    samples: (samples[index] ?? []).map((each) => ({ ...each, atMs: since(each.atMs) })),
  }));
  return {
    fault: trial.fault,
    fromMs: since(fromMs),
    healedMs: since(healedMs),
    ...(meaning.goesOn && { goesOnMs: since(healedMs) }),
    untilMs: since(untilMs),
    history: historyOf(livingOnly(entries), strikeMs),
    healthy: probed.filter(
      ({ client }, index) => !meaning.unwatched.includes(index + 1) && client !== newcomer?.name,
    ),
    victim: victim.name,
    faulted,
    renews: deployment.lock?.renews !== false,
    handsOver: meaning.handsOver,
    isUntold: meaning.isPatient,
    told,
  };
}

interface Lease {
  /** When its holder got in. */
  readonly insideMs: number;
  readonly ttlMs: number;
}

/** When the fault is to strike. */
async function momentOf(
  steps: readonly Step[],
  victim: Client,
  { insideMs, ttlMs }: Lease,
): Promise<void> {
  const step = steps.find(({ do: what }) => what === 'await');
  if (step?.do !== 'await') return;
  if (step.moment === 'renewal')
    await Promise.race([victim.says('renewed'), sleep(RENEWED_SHARE * ttlMs)]);
  else await sleep(Math.max(0, insideMs + ttlMs - END_MS - hostMs()));
}

/** Unless it is over as soon as somebody took over it lasts for its whole span, whoever got in meanwhile. */
async function outlast(steps: readonly Step[], untilMs: number): Promise<void> {
  const leftMs = untilMs - hostMs();
  const ends = steps.some((step) => step.do === 'hold' && step.until === 'takeover');
  if (!ends && leftMs > 0) await sleep(leftMs);
}

/** Each of them its own key, and one of them the shared one, from now on; what is not is seen in what was written down. */
async function served(others: readonly Client[], { hasNewcomer }: Meaning): Promise<void> {
  const probed = others.map((other) => other.says('probed'));
  const granted = Promise.race(others.map((other) => other.says('granted')));
  const recoverMs = hasNewcomer ? RECOVER_BESIDE_NEWCOMER_MS : RECOVER_MS;
  await Promise.race([Promise.all([...probed, granted]), sleep(recoverMs)]);
}

/** What the probes of the others saw. */
async function finishAll(
  crew: Crew,
  { holderDies }: Meaning,
): Promise<readonly (readonly Sample[])[]> {
  const { victim, others } = crew.parts;
  if (holderDies) crew.replace(victim);
  else {
    victim.proceed();
    await victim.ask({ kind: 'finish' });
  }
  return await Promise.all(others.map((other) => other.ask({ kind: 'finish' })));
}
