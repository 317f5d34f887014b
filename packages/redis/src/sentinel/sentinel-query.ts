import type { Runtime } from '@holdfast/core';
import type { HostPort } from '../adapters/clients.ts';
import type { Dialer } from '../link.ts';
import { Node } from '../node.ts';
import { UnexpectedReply } from '../outcome.ts';
import { NodeReplyError, type Reply } from '../port.ts';
import { refusalCode } from '../replies.ts';

/** The answer of one sentinel to the question which server is the master. */
export type SentinelAnswer =
  | { readonly kind: 'master'; readonly master: HostPort; readonly epoch: number }
  /** It monitors no master of this name. */
  | { readonly kind: 'unknown-name' }
  /** It is a Redis server, and no sentinel. */
  | { readonly kind: 'no-sentinel' }
  /** It refuses the log-in, or the command. */
  | { readonly kind: 'refused'; readonly cause: Error }
  | { readonly kind: 'failed'; readonly cause: Error };

/** A sentinel's own id, and those of the sentinels that it knows; undefined if it does not tell. */
export interface SentinelPeers {
  readonly id: string;
  readonly peers: ReadonlySet<string>;
}

export interface SentinelQueryOptions {
  readonly runtime: Runtime;
  /** The name of the master. */
  readonly name: string;
  /** The limit of a question, with the connection. */
  readonly askMs: number;
}

/** A short connection to one sentinel. */
export class SentinelQuery {
  readonly address: string;
  readonly #options: SentinelQueryOptions;
  readonly #node: Node;

  constructor(dialer: Dialer, options: SentinelQueryOptions) {
    const { runtime, askMs } = options;
    this.address = dialer.address;
    this.#options = options;
    this.#node = new Node({ runtime, dialer, connectMs: askMs, silenceMs: askMs });
  }

  /**
   * Never rejects. The epoch is read first: if a failover ends in between, a new address comes with an old epoch and may
   * lose against other answers, but an old address never comes with a new epoch.
   */
  async ask(): Promise<SentinelAnswer> {
    try {
      const [state, address] = await Promise.all([
        this.#sentinel('MASTER', this.#options.name),
        this.#sentinel('GET-MASTER-ADDR-BY-NAME', this.#options.name),
      ]);
      const epoch = Number(fieldOf(state, 'config-epoch'));
      const [host, port] = Array.isArray(address) ? address : [];
      if (typeof host !== 'string' || !Number.isInteger(Number(port)) || !Number.isInteger(epoch))
        throw new UnexpectedReply('SENTINEL', address);
      return { kind: 'master', master: { host, port: Number(port) }, epoch };
    } catch (error) {
      return failedAnswer(error);
    }
  }

  /** Never rejects. */
  async peers(): Promise<SentinelPeers | undefined> {
    try {
      const [id, others] = await Promise.all([
        this.#sentinel('MYID'),
        this.#sentinel('SENTINELS', this.#options.name),
      ]);
      if (typeof id !== 'string' || !Array.isArray(others)) return undefined;
      return { id, peers: new Set(others.map((each: Reply) => fieldOf(each, 'runid') ?? '')) };
    } catch {
      return undefined;
    }
  }

  close(): void {
    void this.#node.close();
  }

  #sentinel(...args: readonly string[]): Promise<Reply> {
    const { runtime, askMs } = this.#options;
    const deadlineMs = runtime.now().monotonicMs + askMs;
    return this.#node.command(['SENTINEL', ...args], { deadlineMs });
  }
}

/** Reads a reply of names and values in turn. */
function fieldOf(reply: Reply, name: string): string | undefined {
  if (!Array.isArray(reply)) return undefined;
  const at = reply.findIndex((each, place) => place % 2 === 0 && each === name);
  const value: unknown = at < 0 ? undefined : reply[at + 1];
  return typeof value === 'string' ? value : undefined;
}

function failedAnswer(error: unknown): SentinelAnswer {
  const cause = error instanceof Error ? error : new Error(String(error));
  // A log-in that was refused is the reason why there is no connection.
  const reply = cause.cause instanceof NodeReplyError ? cause.cause : cause;
  if (!(reply instanceof NodeReplyError)) return { kind: 'failed', cause };
  if (reply.message.includes('No such master')) return { kind: 'unknown-name' };
  const isUnknown = reply.code === 'ERR' && reply.message.includes('unknown command');
  if (isUnknown) return { kind: 'no-sentinel' };
  return { kind: refusalCode(reply) === undefined ? 'failed' : 'refused', cause: reply };
}
