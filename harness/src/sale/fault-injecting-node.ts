import type { CallOptions, RedisNode, Reply, Script, Subscription } from '@holdfast/redis/port';
import type { CallFault, SaleFault } from './step.ts';

/** The faults that a process can get. */
export interface ProcessFaults {
  crash(): void;
  pause(ms: number): void;
  sleep(ms: number): Promise<void>;
  /** Marks a message as delayed. Returns a callback for the case that it is sent because another client has its key. */
  delayed(): () => void;
}

/** A process, and the ttl of its leases. */
export interface FaultTarget {
  readonly processFaults: ProcessFaults;
  readonly ttlMs: number;
}

type RunCall = (options: CallOptions) => Promise<Reply>;

const NEVER: Promise<never> = new Promise(() => {});
/** The longest delay of a message, in leases, while no other client acquires its key. */
const LEASES_MAX = 4;
const POLL_MS = 5;

/** Wraps a node, and injects these faults into its calls. */
export function injectFaults(
  node: RedisNode,
  at: CallFault['at'],
  faults: readonly SaleFault[],
  target: FaultTarget,
): RedisNode {
  const matching = faults.flatMap((each) => (each.kind !== 'slow' && each.at === at ? [each] : []));
  return matching.length === 0 ? node : new FaultInjectingNode(node, matching, target);
}

class FaultInjectingNode implements RedisNode {
  readonly #node: RedisNode;
  readonly #faults: readonly CallFault[];
  readonly #processFaults: ProcessFaults;
  readonly #ttlMs: number;
  readonly #calls = new Map<string, number>();

  constructor(
    node: RedisNode,
    faults: readonly CallFault[],
    { processFaults, ttlMs }: FaultTarget,
  ) {
    this.#node = node;
    this.#faults = faults;
    this.#processFaults = processFaults;
    this.#ttlMs = ttlMs;
  }

  get address(): string {
    return this.#node.address;
  }

  command(args: readonly string[], options: CallOptions): Promise<Reply> {
    const [label = '', key = ''] = args;
    return this.#call(label, key, options, (late) => this.#node.command(args, late));
  }

  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: CallOptions,
  ): Promise<Reply> {
    const run: RunCall = (late) => this.#node.script(script, keys, args, late);
    return this.#call(script.name, keys[0] ?? '', options, run);
  }

  subscribe(...[channel, listener]: Parameters<RedisNode['subscribe']>): Promise<Subscription> {
    return this.#node.subscribe(channel, listener);
  }

  close(): Promise<void> {
    return this.#node.close();
  }

  async #call(label: string, key: string, options: CallOptions, run: RunCall): Promise<Reply> {
    const fault = this.#next(label);
    if (fault?.kind === 'crash') {
      this.#processFaults.crash();
      return await NEVER;
    }
    if (fault?.kind === 'pause') this.#processFaults.pause(fault.leases * this.#ttlMs);
    if (fault?.kind === 'delay') return await this.#delay(key, options, run);
    return await run(options);
  }

  #next(label: string): CallFault | undefined {
    const n = (this.#calls.get(label) ?? 0) + 1;
    this.#calls.set(label, n);
    return this.#faults.find((fault) => fault.before === label && fault.n === n);
  }

  /** Delays a message until another client has its key. Its sender is not late, so its deadline moves too. */
  async #delay(key: string, options: CallOptions, run: RunCall): Promise<Reply> {
    const lateMs = LEASES_MAX * this.#ttlMs;
    const late = { ...options, deadlineMs: options.deadlineMs + 2 * lateMs };
    const look = (): Promise<Reply> => this.#node.command(['GET', key], late);
    const overtaken = this.#processFaults.delayed();
    const own = await look();
    for (let ms = 0; ms < lateMs; ms += POLL_MS) {
      const value = await look();
      if (value !== null && value !== own) {
        overtaken();
        break;
      }
      await this.#processFaults.sleep(POLL_MS);
    }
    return await run(late);
  }
}

/** Records the messages that were delayed until another client had their key, by the clock of a sale. */
export class OvertakenReleases {
  readonly #clock: () => number;
  readonly #sinceMs: number[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /**
   * Marks a message as delayed from now on. Returns a callback for the case that it is sent because another client has
   * its key.
   */
  delayed(): () => void {
    const fromMs = this.#clock();
    return () => void this.#sinceMs.push(fromMs);
  }

  /**
   * True if a message delayed since then was overtaken. A caller that passes the time of its own release means its own
   * message.
   */
  since(fromMs: number): boolean {
    return this.#sinceMs.some((atMs) => atMs >= fromMs);
  }
}
