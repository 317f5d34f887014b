import { setTimeout as sleep } from 'node:timers/promises';
import { hostMs } from '../../../../../harness/test/kit/real-servers.ts';
import type { Span } from './injection.ts';
import type { Topology } from './topology.ts';

const LOOK_MS = 50;

type Role = 'master' | 'replica' | 'down';

interface Look {
  readonly role: Role;
  readonly askedMs: number;
}

/** Asks all servers for their role, to know when a replica was promoted, and for how long the old master lived on. */
export class MasterWatch {
  readonly #topology: Topology;
  readonly #masters = new Set<number>();
  #count = 0;
  /** Counts the looks at each server. */
  readonly #looks: number[] = [];
  #changes: Span[] = [];
  #changingFromMs: number | undefined;
  #isOver = false;

  private constructor(topology: Topology) {
    this.#topology = topology;
  }

  /** Resolves once the roles of all servers are known. */
  static async start(topology: Topology): Promise<MasterWatch> {
    const watch = new MasterWatch(topology);
    const looks = await Promise.all(topology.servers.map((_, at) => watch.#look(at)));
    for (const [at, { role }] of looks.entries()) if (role === 'master') watch.#masters.add(at);
    watch.#count = watch.#masters.size;
    for (const [at, look] of looks.entries()) void watch.#follow(at, look);
    return watch;
  }

  /** When the first change began that is not taken yet. */
  get changedFromMs(): number | undefined {
    return this.#changes[0]?.fromMs ?? this.#changingFromMs;
  }

  /**
   * Takes the changes until now. Each lasts from the latest moment at which the promoted server was a replica, to the first
   * at which there was no old master. One that is paused counts until it says otherwise.
   */
  async take(): Promise<readonly Span[]> {
    // The next look may be under way already.
    const looks = this.#looks.map((count) => count + 1);
    while (looks.some((count, at) => (this.#looks[at] ?? 0) <= count)) await sleep(LOOK_MS);
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  end(): void {
    this.#isOver = true;
  }

  async #look(at: number, before?: Look): Promise<Look> {
    const askedMs = hostMs();
    const isMaster = await this.#topology.isMaster(at).catch(() => undefined);
    this.#looks[at] = (this.#looks[at] ?? 0) + 1;
    if (isMaster !== undefined) return { role: isMaster ? 'master' : 'replica', askedMs };
    // One that is promoted by sentinels ends its connections, so no reply does not mean that it is down.
    const isDown = before === undefined || this.#topology.servers[at]?.pid === undefined;
    return isDown ? { role: 'down', askedMs } : before;
  }

  async #follow(at: number, first: Look): Promise<void> {
    for (let before = first; !this.#isOver; ) {
      await sleep(LOOK_MS);
      const look = await this.#look(at, before);
      if (look.role !== before.role) this.#changed(at, before, look.role);
      before = look;
    }
  }

  /** A server that starts is a master until it is told otherwise, but nobody names it. */
  #changed(at: number, before: Look, role: Role): void {
    if (before.role === 'replica' && role === 'master') {
      this.#masters.add(at);
      this.#changingFromMs ??= before.askedMs;
    } else {
      this.#masters.delete(at);
    }
    if (this.#masters.size > this.#count || this.#changingFromMs === undefined) return;
    this.#changes.push({ fromMs: this.#changingFromMs, untilMs: hostMs() });
    this.#changingFromMs = undefined;
  }
}
