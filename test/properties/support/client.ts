import type { Lease, Locks, MemoryLink, MemoryStore } from '@holdfast/core';
import type { Hold, Recorder, SimProcess, World } from '@holdfast/sim';
import type { Core } from './core.ts';
import type { Resource } from './resource.ts';
import { type ClientId, type Op, TTL_MS } from './schedule.ts';

const KEY = 'k';
/** Longer than all holds and pauses of a schedule together, so that whoever waits in vain has been forgotten. */
const WAIT_MS = 60_000;

/** What all clients of a run share. */
export interface Arena {
  readonly world: World;
  readonly recorder: Recorder;
  readonly resource: Resource;
  readonly store: MemoryStore;
  readonly latencyMs: number;
}

/** One process with its own clocks and `Locks`, working through its operations. */
export class Client {
  readonly process: SimProcess;
  /** What went wrong besides anything a history shows. */
  readonly complaints: string[] = [];
  /** Operations that have begun and not ended. */
  active = 0;
  waiting = 0;
  holding = 0;
  readonly #arena: Arena;
  readonly #holds = new Map<string, Hold>();
  #locks: Locks | undefined;
  #calls = 0;

  constructor(id: ClientId, arena: Arena) {
    this.#arena = arena;
    this.process = arena.world.process(id);
  }

  async open(core: Core): Promise<void> {
    const { runtime, name } = this.process;
    const host = core.createHost({ runtime, label: name });
    const backend = await core.openMemory({ store: this.#arena.store, link: this.#link() }, host);
    const locks = core.createLocks(backend, host, { ttlMs: TTL_MS, waitMs: WAIT_MS });
    const { recorder } = this.#arena;
    locks.on('renewed', ({ contender, remainingMs }) =>
      this.#tell(contender, (hold) => recorder.renewed(hold, { remainingMs })),
    );
    locks.on('lost', ({ contender, reason }) =>
      this.#tell(contender, (hold) => recorder.lost(hold, reason)),
    );
    this.#locks = locks;
  }

  start(op: Op): void {
    this.process.deliver('start', () => void this.#run(op), op.atMs);
  }

  async #run({ holdMs, renews }: Op): Promise<void> {
    const { recorder } = this.#arena;
    const hold = recorder.acquire(this.process, KEY);
    this.active++;
    this.waiting++;
    const lease = await this.#acquire(hold, renews);
    this.waiting--;
    if (lease !== undefined) await this.#work(hold, lease, holdMs);
    this.active--;
    this.#lookForTimers();
  }

  async #acquire(hold: Hold, renew: boolean): Promise<Lease | undefined> {
    const { recorder } = this.#arena;
    try {
      const lease = await this.#locks?.acquire(KEY, { renew });
      if (lease === undefined) return undefined;
      this.#holds.set(contenderOf(lease), hold);
      recorder.granted(hold, { remainingMs: lease.remainingMs() }, lease.fencingToken);
      return lease;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'OUTCOME_UNKNOWN') recorder.doubt(hold, code);
      else recorder.denied(hold, code);
      this.complaints.push(`${this.process.name} never got its turn: ${code}`);
      return undefined;
    }
  }

  async #work(hold: Hold, lease: Lease, holdMs: number): Promise<void> {
    const { recorder } = this.#arena;
    this.holding++;
    recorder.enter(hold);
    await this.#write(hold, lease);
    await this.process.sleep(holdMs);
    await this.#write(hold, lease);
    recorder.exit(hold);
    this.holding--;
    recorder.release(hold);
    const { kind } = await lease.release();
    recorder.released(hold, kind);
  }

  /** As everybody is told to: ask the lease, then write. */
  async #write(hold: Hold, lease: Lease): Promise<void> {
    try {
      lease.assertHeld();
    } catch {
      return;
    }
    const { recorder, resource } = this.#arena;
    recorder.claimed(hold);
    await this.#call('write', () => resource.write(hold, lease.fencingToken));
  }

  #link(): MemoryLink {
    return {
      call: (label, effect) => {
        // The one that holds has asked for release, and nobody else here has been granted anything.
        if (label === 'renew' && this.holding === 0)
          this.complaints.push(`${this.process.name} renews what it has given back`);
        return this.#call(label, effect);
      },
      deliver: (label, run) => this.process.deliver(label, run, this.#arena.latencyMs),
    };
  }

  async #call<T>(label: string, effect: () => T): Promise<T> {
    const { latencyMs } = this.#arena;
    this.#calls++;
    const result = await this.process.call<T>(label, effect, {
      requestMs: latencyMs,
      replyMs: latencyMs,
    });
    this.#calls--;
    return result;
  }

  /** Where nothing is held, waited for or on its way, no timer has anything to be for. */
  #lookForTimers(): void {
    if (this.active === 0 && this.#calls === 0 && this.process.timers.live > 0)
      this.complaints.push(`a timer of ${this.process.name} outlives its lease`);
  }

  #tell(contender: string, tell: (hold: Hold) => void): void {
    const hold = this.#holds.get(contender);
    if (hold !== undefined) tell(hold);
  }
}

function contenderOf(lease: Lease): string {
  return lease.owner.slice(0, lease.owner.indexOf(':'));
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}
