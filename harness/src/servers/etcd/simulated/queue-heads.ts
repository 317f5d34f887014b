import type { ServerHold } from '../../../sim/schedule/holds.ts';
import type { KeyEnd } from './leader-holds.ts';
import { queueOf } from './leader-holds.ts';
import type { Program } from './program.ts';

/** The first key of one queue on one server. */
interface Head {
  readonly server: string;
  readonly key: string;
  /** Undefined if no client of the run created it. */
  readonly client: string | undefined;
  /** True time. */
  readonly fromMs: number;
}

/**
 * Records the owner of every queue's first key on every server, as each server applies what was committed. States that a
 * server passes through within one instant, as it catches up, are left out.
 */
export class QueueHeads {
  readonly #ended: ServerHold[] = [];
  readonly #heads = new Map<string, Head>();
  readonly #nowMs: () => number;
  readonly #clientOf: (key: string) => string | undefined;
  readonly #endOf: (key: string) => KeyEnd | undefined;

  constructor(
    nowMs: () => number,
    clientOf: (key: string) => string | undefined,
    endOf: (key: string) => KeyEnd | undefined,
  ) {
    this.#nowMs = nowMs;
    this.#clientOf = clientOf;
    this.#endOf = endOf;
  }

  get all(): readonly ServerHold[] {
    const open = Array.from(this.#heads.values());
    return [
      ...this.#ended,
      ...open.flatMap((head) => spanOf(head, Number.POSITIVE_INFINITY, undefined)),
    ];
  }

  /** The store of a server has changed, or the server is down. */
  update({ machine: { name: server }, store, crashed }: Program): void {
    const first = new Map<string, { readonly key: string; readonly createRevision: bigint }>();
    for (const { key, createRevision, lease } of crashed ? [] : store.keys) {
      const queue = `${server} ${queueOf(key)}`;
      const known = first.get(queue);
      if (lease === 0n || (known !== undefined && known.createRevision < createRevision)) continue;
      first.set(queue, { key, createRevision });
    }
    for (const [queue, head] of this.#heads) {
      if (head.server !== server || first.get(queue)?.key === head.key) continue;
      this.#heads.delete(queue);
      const end = crashed ? undefined : (this.#endOf(head.key) ?? 'released');
      this.#ended.push(...spanOf(head, this.#nowMs(), end));
    }
    for (const [queue, { key }] of first) {
      if (this.#heads.has(queue)) continue;
      const client = this.#clientOf(key);
      this.#heads.set(queue, { server, key, client, fromMs: this.#nowMs() });
    }
  }
}

function spanOf(
  { server, client, fromMs }: Head,
  untilMs: number,
  end: ServerHold['end'],
): readonly ServerHold[] {
  if (client === undefined || fromMs === untilMs) return [];
  return [{ server, client, fromMs, untilMs, end }];
}
