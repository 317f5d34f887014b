import type { CallOptions, RedisNode, Reply, Script, Subscription } from '@holdfast/redis/port';
import type { CallFault, SaleFault } from './step.ts';

/** What can be done to a process. */
export interface ProcessFaults {
  crash(): void;
  pause(ms: number): void;
  sleep(ms: number): Promise<void>;
  /** A message is held up. Returns what is called when it goes on because its key is somebody else's. */
  delayed(): () => void;
}

/** A process, and how long its leases last. */
export interface FaultTarget {
  readonly processFaults: ProcessFaults;
  readonly ttlMs: number;
}

type RunCall = (options: CallOptions) => Promise<Reply>;

const NEVER: Promise<never> = new Promise(() => {});
/** How long, in leases, a message waits at most for somebody else to want its key. */
const LEASES_MAX = 4;
const POLL_MS = 5;

/** A node whose calls are struck as `troubles` say. */
export function injectFaults(
  node: RedisNode,
  at: CallFault['at'],
  troubles: readonly SaleFault[],
  struck: FaultTarget,
): RedisNode {
  const mine = troubles.flatMap((each) => (each.kind !== 'slow' && each.at === at ? [each] : []));
  return mine.length === 0 ? node : new FaultInjectingNode(node, mine, struck);
}

class FaultInjectingNode implements RedisNode {
  readonly #node: RedisNode;
  readonly #faults: readonly CallFault[];
  readonly #processFaults: ProcessFaults;
  readonly #ttlMs: number;
  readonly #calls = new Map<string, number>();

  constructor(
    node: RedisNode,
    troubles: readonly CallFault[],
    { processFaults, ttlMs }: FaultTarget,
  ) {
    this.#node = node;
    this.#faults = troubles;
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
    const trouble = this.#next(label);
    if (trouble?.kind === 'crash') {
      this.#processFaults.crash();
      return await NEVER;
    }
    if (trouble?.kind === 'stand-still') this.#processFaults.pause(trouble.leases * this.#ttlMs);
    if (trouble?.kind === 'hold-up') return await this.#delay(key, options, run);
    return await run(options);
  }

  #next(label: string): CallFault | undefined {
    const n = (this.#calls.get(label) ?? 0) + 1;
    this.#calls.set(label, n);
    return this.#faults.find((trouble) => trouble.before === label && trouble.n === n);
  }

  /** It is late, not its sender: nothing of it times out meanwhile. */
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

/** Which messages were held up until their key had become somebody else's, on the clock of a sale. */
export class OvertakenReleases {
  readonly #clock: () => number;
  readonly #sinceMs: number[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** A message is held up from now on. Returns what to call if it goes on because its key is somebody else's. */
  delayed(): () => void {
    const fromMs = this.#clock();
    return () => void this.#sinceMs.push(fromMs);
  }

  /** Whether one that has gone on was held up since then: who asks between two steps of its own means its own. */
  since(fromMs: number): boolean {
    return this.#sinceMs.some((atMs) => atMs >= fromMs);
  }
}
