import { type Dialer, Node } from '@holdfast/redis/links';
import type { RedisNode } from '@holdfast/redis/port';
import type { Network } from '../net/network.ts';
import type { SimProcess } from '../process.ts';
import { Labels } from './labels.ts';
import { SimLink } from './link.ts';
import type { SimRedisServer } from './server.ts';

/** What a client has the address of: one server, or a service that says which server to use. */
export interface RedisAddress {
  readonly name: string;
  /** Where a connection that `process` makes now leads to. */
  serverFor(process: SimProcess): SimRedisServer;
}

export interface SimRedisNodeOptions {
  /** The limit of one attempt to connect or to subscribe. Default 2 000, as with the real adapters. */
  readonly connectMs?: number;
  /** After so long, up to twice, without a reply a connection is given up. Default 2 000. */
  readonly silenceMs?: number;
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
  const { connectMs = 2_000, silenceMs = 2_000 } = options;
  const labels = new Labels();
  const dialer: Dialer = {
    address: address.name,
    dial: (_purpose, events) =>
      new SimLink({ process, server: address.serverFor(process), network, labels, events }),
  };
  return labelled(new Node({ runtime: process.runtime, dialer, connectMs, silenceMs }), labels);
}

/** Takes note of what the calls are called. */
function labelled(node: Node, labels: Labels): RedisNode {
  return {
    address: node.address,
    command: (args, options) => node.command(args, options),
    script(script, keys, args, options) {
      labels.learn(script);
      return node.script(script, keys, args, options);
    },
    subscribe: (channel, listener) => node.subscribe(channel, listener),
    close: () => node.close(),
  };
}
