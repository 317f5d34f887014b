import { type Dialer, Node } from '@holdfast/redis/links';
import type { CallOptions, RedisNode, Reply, Script, Subscription } from '@holdfast/redis/port';
import type { Connection } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { Labels, SimLink } from './link.ts';
import type { SimRedisServer } from './server.ts';

/** What a client has the address of: one server, or a service that says which server to use. */
export interface RedisAddress {
  readonly name: string;
  /** Where a connection that `process` makes now leads to. */
  serverFor(process: SimProcess): SimRedisServer;
  /** Every connection that was made through it, where it may come to lead elsewhere. */
  readonly dialled?: Set<Connection>;
}

export interface SimRedisNodeOptions {
  /** The limit of one attempt to connect or to subscribe. Default 2 000, as with the real adapters. */
  readonly connectMs?: number;
  /** After so long, up to twice, without a reply a connection is given up. Default 2 000. */
  readonly silenceMs?: number;
  /** Whether it counts its connections, as the shipping node does: a lock that asks looks again at a server behind a new one. */
  readonly counts?: boolean;
}

/**
 * The `RedisNode` port on a simulated process: the code that runs over the client libraries, over simulated
 * connections instead. Its calls count for the anchors of the process under their labels: the command, the name of the
 * script, or `undo`. A server that has forgotten a script is called twice, by digest and then in full.
 */
export function simRedisNode(
  process: SimProcess,
  address: RedisAddress,
  network: Network,
  options: SimRedisNodeOptions = {},
): RedisNode {
  const { connectMs = 2_000, silenceMs = 2_000, counts = false } = options;
  const labels = new Labels();
  const dialer: Dialer = {
    address: address.name,
    dial: (_purpose, events) => {
      const server = address.serverFor(process);
      return new SimLink({ process, server, dialled: address.dialled, network, labels, events });
    },
  };
  const node = new Node({ runtime: process.runtime, dialer, connectMs, silenceMs });
  return new LabelledNode(node, labels, counts);
}

/** Takes note of what the calls are called. */
class LabelledNode implements RedisNode {
  readonly address: string;
  readonly #node: Node;
  readonly #labels: Labels;
  readonly #counts: boolean;

  constructor(node: Node, labels: Labels, counts: boolean) {
    this.address = node.address;
    this.#node = node;
    this.#labels = labels;
    this.#counts = counts;
  }

  get connections(): number | undefined {
    return this.#counts ? this.#node.connections : undefined;
  }

  command(args: readonly string[], options: CallOptions): Promise<Reply> {
    return this.#node.command(args, options);
  }

  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: CallOptions,
  ): Promise<Reply> {
    this.#labels.learn(script);
    return this.#node.script(script, keys, args, options);
  }

  subscribe(...wanted: Parameters<RedisNode['subscribe']>): Promise<Subscription> {
    return this.#node.subscribe(...wanted);
  }

  close(): Promise<void> {
    return this.#node.close();
  }
}
