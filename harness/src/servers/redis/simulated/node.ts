import { type Dialer, type MemberNode, Node, type RoutedCall } from '@holdfast/redis/links';
import type { Reply, Script, Subscription } from '@holdfast/redis/port';
import type { Connection } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { Labels, type LinkServer, SimLink, type SimLinkParts } from './link.ts';

/** An address that a client connects to: one server, or a service that selects a server. */
export interface RedisAddress {
  readonly name: string;
  /** The server to which a new connection of `process` leads. */
  serverFor(process: SimProcess): LinkServer;
  /** Every connection made through the address, if it can be re-pointed. */
  readonly dialled?: Set<Connection>;
}

export interface SimRedisNodeOptions {
  /** Limit of one attempt to connect or to subscribe. Default 2 000, as with the real adapters. */
  readonly connectMs?: number;
  /** A connection without a reply is closed after this time, at most twice as long. Default 2 000. */
  readonly silenceMs?: number;
  /**
   * True if it counts its connections, as the shipped node does. A lock that reads the count checks the server again
   * after a reconnect.
   */
  readonly counts?: boolean;
}

/**
 * The `RedisNode` port on a simulated process: the shipped code, over simulated connections in place of a client
 * library's. Its calls count for the anchors of the process under their labels: the command, the script's name, or
 * `undo`. A script that the server does not know is called twice, by digest and then in full.
 */
export function simRedisNode(
  process: SimProcess,
  address: RedisAddress,
  network: Network,
  options: SimRedisNodeOptions = {},
): MemberNode {
  const labels = new Labels();
  const dialer = simDialer(process, address.name, { network, labels }, () => ({
    server: address.serverFor(process),
    dialled: address.dialled,
  }));
  return nodeBy(process, dialer, labels, options);
}

/** The same node through another dialer, which labels its messages by `labels`. */
export function nodeBy(
  process: SimProcess,
  dialer: Dialer,
  labels: Labels,
  { connectMs = 2_000, silenceMs = 2_000, counts = false }: SimRedisNodeOptions = {},
): MemberNode {
  const node = new Node({
    runtime: process.runtime,
    dialer,
    connectMs,
    silenceMs,
    provesWaits: false,
  });
  return new LabelledNode(node, labels, counts);
}

/** Opens simulated connections; `target` is asked each time where they lead. */
export function simDialer(
  process: SimProcess,
  address: string,
  { network, labels }: Pick<SimLinkParts, 'network' | 'labels'>,
  target: () => Pick<SimLinkParts, 'server'> & Partial<Pick<SimLinkParts, 'dialled'>>,
): Dialer {
  return {
    address,
    dial: (_purpose, events) => {
      const { server, dialled } = target();
      return new SimLink({ process, server, dialled, network, labels, events });
    },
  };
}

/** Learns the names of scripts from the calls. */
class LabelledNode implements MemberNode {
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

  command(args: readonly string[], options: RoutedCall): Promise<Reply> {
    return this.#node.command(args, options);
  }

  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: RoutedCall,
  ): Promise<Reply> {
    this.#labels.learn(script);
    return this.#node.script(script, keys, args, options);
  }

  subscribe(...wanted: Parameters<MemberNode['subscribe']>): Promise<Subscription> {
    return this.#node.subscribe(...wanted);
  }

  close(): Promise<void> {
    return this.#node.close();
  }
}
