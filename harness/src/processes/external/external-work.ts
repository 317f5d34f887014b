import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientReport, ContentionWork, Probing, Sample } from '../clients/messages.ts';
import { hostMs } from '../clock.ts';
import type { EventLog, LogEntry } from '../event-log.ts';
import type { AdapterProcess } from './adapter-process.ts';
import type { Reply } from './protocol.ts';

/** Pause before the next request after a failure, in ms. */
const REST_MS = 20;
/** A request is taken for one that waits after this time, in ms, or when it is granted: an adapter does not say so. */
const WAITS_MS = 200;

export interface ExternalContext {
  readonly name: string;
  readonly adapter: AdapterProcess;
  readonly log: EventLog;
  readonly signal: AbortSignal;
  readonly untilSignalled: () => Promise<void>;
  readonly report: (what: ClientReport['kind'], key: string) => void;
}

/**
 * Steers an adapter that contends for the shared key: it acquires, reads, lingers, checks and writes, as
 * `ContentionTask` does with locks of our own.
 */
export class ExternalWork {
  readonly #work: ContentionWork;
  readonly #context: ExternalContext;
  #rounds = 0;
  #hasLingered = false;
  #hasRested = false;

  constructor(work: ContentionWork, context: ExternalContext) {
    this.#work = work;
    this.#context = context;
  }

  async run(): Promise<void> {
    const { signal, untilSignalled, name } = this.#context;
    if (this.#work.joinsLate === true) await untilSignalled();
    while (!signal.aborted) {
      await this.#round(`${name}/${++this.#rounds}`);
      if (this.#hasLingered) await this.#rest();
    }
  }

  async #round(hold: string): Promise<void> {
    const { adapter } = this.#context;
    const { key } = this.#work;
    if (!(await this.#acquire(hold))) return;
    await this.#section(hold);
    this.#note(hold, { type: 'exit' });
    this.#note(hold, { type: 'release' });
    const { ok, unknown } = await adapter.request({ do: 'release', key });
    const failed = unknown === true ? 'unknown' : 'not-held';
    this.#note(hold, { type: 'released', outcome: ok ? 'released' : failed });
  }

  async #acquire(hold: string): Promise<boolean> {
    const { adapter, report, signal } = this.#context;
    const { key, waitMs } = this.#work;
    this.#note(hold, { type: 'acquire' });
    const waits = setTimeout(() => report('waiting', key), WAITS_MS);
    const replied = adapter.request({ do: 'acquire', key, waitMs });
    const reply = await untilAborted(replied, signal).finally(() => clearTimeout(waits));
    if (reply === undefined) {
      this.#note(hold, { type: 'doubt', reason: 'withdrawn' });
      return false;
    }
    if (reply.ok) {
      report('waiting', key);
      // It claims no validity: the resource alone judges it.
      this.#note(hold, { type: 'granted', validUntilMs: hostMs() });
      this.#note(hold, { type: 'enter' });
      report('granted', key);
      return true;
    }
    const { unknown, reason = 'refused' } = reply;
    this.#note(hold, { type: unknown === true ? 'doubt' : 'denied', reason });
    await sleep(REST_MS);
    return false;
  }

  async #section(hold: string): Promise<void> {
    const { adapter, untilSignalled, report } = this.#context;
    const { key, thinkMs, lingers, rechecksLease = false } = this.#work;
    const { ok } = await adapter.request({ do: 'read', key, hold });
    if (!ok) throw new Error('the external command could not read the resource');
    await sleep(thinkMs);
    let check = true;
    if (lingers && !this.#hasLingered) {
      this.#hasLingered = true;
      // Its last check is before the pause that follows, as in code that is paused between a check and its write.
      if (!rechecksLease && !(await adapter.request({ do: 'check', key })).ok) return;
      check = rechecksLease;
      const proceeded = untilSignalled();
      report('inside', key);
      await proceeded;
    }
    await adapter.request({ do: 'write', key, hold, check });
  }

  async #rest(): Promise<void> {
    const { restMs = 0 } = this.#work;
    if (this.#hasRested || restMs === 0) return;
    this.#hasRested = true;
    const { signal } = this.#context;
    await sleep(restMs, undefined, { signal }).catch(() => undefined);
  }

  #note(hold: string, event: Note): void {
    const { log, name } = this.#context;
    log.add({ ...event, atMs: hostMs(), client: name, key: this.#work.key, hold });
  }
}

type OwnPart<E> = E extends { readonly hold: string }
  ? Omit<E, 'atMs' | 'client' | 'key' | 'hold'>
  : never;
type Note = OwnPart<LogEntry>;

/** Acquires and releases a key of its own in a loop, as `probe` does with locks of our own. */
export async function probeExternal(
  { probeKey: key, probeEveryMs, probeWaitMs: waitMs }: Probing,
  { adapter, signal, report }: ExternalContext,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  let wantedMs: number | undefined;
  while (!signal.aborted) {
    const atMs = hostMs();
    wantedMs ??= atMs;
    const reply = await untilAborted(adapter.request({ do: 'acquire', key, waitMs }), signal);
    const failed = { atMs, tookMs: hostMs() - atMs, ok: false };
    if (reply === undefined) return [...samples, { ...failed, why: 'withdrawn' }];
    if (reply.ok) {
      const sample = { atMs: wantedMs, tookMs: hostMs() - wantedMs, ok: true };
      wantedMs = undefined;
      report('probed', key);
      const released = await adapter.request({ do: 'release', key });
      samples.push({ ...sample, released: released.ok ? 'released' : 'not-held' });
    } else samples.push({ ...failed, why: reply.reason ?? 'refused' });
    await sleep(probeEveryMs);
  }
  return samples;
}

/** Resolves to undefined if the trial ends first: no adapter can withdraw a request. */
async function untilAborted(
  replied: Promise<Reply>,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  if (signal.aborted) return undefined;
  const race = new AbortController();
  const aborted = new Promise<undefined>((done) => {
    signal.addEventListener('abort', () => done(undefined), { signal: race.signal });
  });
  try {
    return await Promise.race([replied, aborted]);
  } finally {
    race.abort();
  }
}
