import type { CallOptions, RedisNode, Reply } from '@holdfast/redis/port';

/** Before which call it strikes: the n-th one with this name that the first process makes, to its stock or its locks. */
interface Before {
  readonly at: 'stock' | 'lock';
  readonly before: string;
  readonly n: number;
}

/** What goes wrong while a sale is on. Times are in leases: 1 is the ttl. */
export type Trouble =
  /** The process dies. */
  | ({ readonly kind: 'crash' } & Before)
  /** The process stands still, with all it does. */
  | ({ readonly kind: 'stand-still'; readonly leases: number } & Before)
  /** This one message is on its way for so long. */
  | ({ readonly kind: 'hold-up'; readonly leases: number } & Before)
  /** The work of these requests takes so long, whoever handles them. */
  | { readonly kind: 'slow'; readonly requests: readonly number[]; readonly leases: number };

/** What can be done to a process. */
export interface Strikes {
  crash(): void;
  standStill(ms: number): void;
  sleep(ms: number): Promise<void>;
}

const NEVER: Promise<never> = new Promise(() => {});

/** A node whose calls are struck as `troubles` say. */
export function troubledNode(
  node: RedisNode,
  at: Before['at'],
  troubles: readonly Trouble[],
  { strikes, ttlMs }: { readonly strikes: Strikes; readonly ttlMs: number },
): RedisNode {
  const mine = troubles.filter((each) => each.kind !== 'slow' && each.at === at);
  if (mine.length === 0) return node;
  const counts = new Map<string, number>();
  /** By how much this call is late, for ever where its process has died of it. */
  const lateness = (label: string): number => {
    const n = (counts.get(label) ?? 0) + 1;
    counts.set(label, n);
    let lateMs = 0;
    for (const trouble of mine) {
      if (trouble.kind === 'slow' || trouble.before !== label || trouble.n !== n) continue;
      if (trouble.kind === 'crash') {
        strikes.crash();
        return Number.POSITIVE_INFINITY;
      }
      if (trouble.kind === 'stand-still') strikes.standStill(trouble.leases * ttlMs);
      if (trouble.kind === 'hold-up') lateMs += trouble.leases * ttlMs;
    }
    return lateMs;
  };
  const call = async (
    label: string,
    options: CallOptions,
    run: (options: CallOptions) => Promise<Reply>,
  ): Promise<Reply> => {
    const lateMs = lateness(label);
    if (lateMs === 0) return await run(options);
    if (lateMs === Number.POSITIVE_INFINITY) return await NEVER;
    await strikes.sleep(lateMs);
    return await run({ ...options, deadlineMs: options.deadlineMs + lateMs });
  };
  return {
    address: node.address,
    command: (args, options) => call(args[0] ?? '', options, (late) => node.command(args, late)),
    script: (script, keys, args, options) =>
      call(script.name, options, (late) => node.script(script, keys, args, late)),
    subscribe: (channel, listener) => node.subscribe(channel, listener),
    close: () => node.close(),
  };
}
