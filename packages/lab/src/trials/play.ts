import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../clients/client.ts';
import type { Crew } from '../clients/crew.ts';
import { type Entry, historyOf } from '../clients/event-log.ts';
import type { Sample } from '../clients/messages.ts';
import { hostMs } from '../clock.ts';
import type { Site } from '../sites/site.ts';
import type { Blow } from './blow.ts';
import { blowOf } from './blows.ts';
import { arrive, beginAll, openAll } from './cast.ts';
import type { Trial, TrialRecord } from './record.ts';

/** Before and after the fault, to have something to compare with. */
const CALM_MS = 300;
/** How much longer than a ttl a fault lasts, so that what it lets expire has expired. */
const BEYOND_TTL_MS = 300;
/** How long the holder stays inside beside whoever got in, so that both are seen to work. */
const BESIDE_MS = 60;
/** How long healthy clients may take to be served again. */
const RECOVER_MS = 15_000;
/** How long those who stay inside wait for what the old holder sends late, in ttls: their own lease lasts longer. */
const STAY_SHARE = 1 / 2;
/** A lease is renewed at a third of its ttl; one that never is must not be over by then. */
const RENEWED_SHARE = 0.4;
/** Before a lease ends by itself: its holder sends its release before it notices that nothing is answered. */
const END_MS = 80;

/**
 * One strike: a client gets in and lingers, the others wait, the fault strikes, whoever gets in gets in, the fault is
 * over, all are served again. What it meant is for the judges to say.
 */
export async function playTrial(crew: Crew, site: Site, trial: Trial): Promise<TrialRecord> {
  const { victim, others } = crew.parts;
  const spanMs = trial.ttlMs + BEYOND_TTL_MS + (site.slackMs ?? 0);
  const blow = blowOf(trial.fault, { ...trial, site, crew, spanMs });
  const newcomer = blow.newcomer ? others.at(-1) : undefined;
  const residents = others.filter((other) => other !== newcomer);
  await openAll([victim, ...residents], site);
  await blow.prepare();
  const insideMs = await beginAll(crew, residents, trial, blow);
  const fromMs = hostMs();
  await sleep(CALM_MS);

  const taken = others.map((other) => other.says('granted'));
  // Who comes anew needs not be told: where somebody is not, the others stay away.
  const [, ...rest] = others;
  const late = blow.patient ? rest : [];
  if (blow.afterRenewal)
    await Promise.race([victim.says('renewed'), sleep(RENEWED_SHARE * trial.ttlMs)]);
  if (blow.beforeEnd) await sleep(Math.max(0, insideMs + trial.ttlMs - END_MS - hostMs()));
  trial.striking(blow.told);
  const strikeMs = hostMs();
  await blow.strike();
  if (blow.holderLeaves) victim.proceed();
  for (const other of others) if (!late.includes(other)) other.proceed();
  const arrived =
    newcomer === undefined ? undefined : arrive(crew, newcomer, { site, trial, blow });
  const awaited = blow.patient ? taken.slice(0, 1) : taken;
  await Promise.race([...awaited, sleep(blow.patient ? RECOVER_MS : spanMs)]);
  await sleep(BESIDE_MS);
  await outlast(blow, strikeMs + spanMs);
  victim.proceed();
  await blow.heal();
  const healedMs = hostMs();
  for (const other of late) other.proceed();
  if (blow.othersStay) {
    await Promise.race([Promise.all(taken), sleep(STAY_SHARE * trial.ttlMs)]);
    for (const other of others) other.proceed();
  }
  await arrived;
  const isControl = site.opening(0).backend === 'no-lock';
  if (!isControl) await served(others, blow);
  await sleep(CALM_MS);

  const untilMs = hostMs();
  const faulted = blow.faulted.flatMap((place) => crew.clients[place]?.name ?? []);
  const samples = await finishAll(crew, blow);
  const entries = [...(await crew.news(trial.key)), ...blow.entries(trial.key)];
  const since = (atMs: number): number => atMs - strikeMs;
  const probed = others.map(({ name }, index) => ({
    client: name,
    samples: (samples[index] ?? []).map((each) => ({ ...each, atMs: since(each.atMs) })),
  }));
  return {
    fault: trial.fault,
    fromMs: since(fromMs),
    healedMs: since(healedMs),
    ...(blow.goesOn && { goesOnMs: since(healedMs) }),
    untilMs: since(untilMs),
    history: historyOf(livingOnly(entries), strikeMs),
    healthy: probed.filter(
      ({ client }, index) => !blow.struck.includes(index + 1) && client !== newcomer?.name,
    ),
    victim: victim.name,
    faulted,
    renews: site.opening(0).backend !== 'redis-getset',
    handsOver: blow.handsOver,
    told: blow.told,
  };
}

/** A fault that can be healed lasts for its whole span, whoever got in meanwhile. */
async function outlast({ lasts }: Blow, untilMs: number): Promise<void> {
  const leftMs = untilMs - hostMs();
  if (lasts && leftMs > 0) await sleep(leftMs);
}

/** Each of them its own key, and one of them the shared one, from now on; what is not is seen in what was written down. */
async function served(others: readonly Client[], { recoverMs = RECOVER_MS }: Blow): Promise<void> {
  const probed = others.map((other) => other.says('probed'));
  const granted = Promise.race(others.map((other) => other.says('granted')));
  await Promise.race([Promise.all([...probed, granted]), sleep(recoverMs)]);
}

/** What the probes of the others saw. */
async function finishAll(crew: Crew, blow: Blow): Promise<readonly (readonly Sample[])[]> {
  const { victim, others } = crew.parts;
  if (blow.isDeadly) crew.replace(victim);
  else {
    victim.proceed();
    await victim.ask({ kind: 'finish' });
  }
  return await Promise.all(others.map((other) => other.ask({ kind: 'finish' })));
}

/** A signal takes a moment to arrive. What the dead still wrote down meanwhile is left out; what they sent counts. */
function livingOnly(entries: readonly Entry[]): readonly Entry[] {
  const deaths = new Map(
    entries.filter(({ type }) => type === 'crashed').map(({ client, atMs }) => [client, atMs]),
  );
  return entries.filter(
    ({ type, client, atMs }) =>
      type === 'write' || atMs <= (deaths.get(client) ?? Number.POSITIVE_INFINITY),
  );
}
