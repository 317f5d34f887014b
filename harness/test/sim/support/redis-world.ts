import type { CallOptions, RedisNode, Reply, Script } from '@holdfast/redis/port';
import {
  Network,
  type RedisAddress,
  type SimProcess,
  type SimRedisNodeOptions,
  SimRedisServer,
  type SimRedisServerOptions,
  simRedisNode,
  World,
  type WorldOptions,
} from '../../../src/simulator/index.ts';

export const LATENCY_MS = 1;

/** A world with one server in it, and clients to be added. */
export class RedisWorld {
  readonly world: World;
  readonly network: Network;
  readonly server: SimRedisServer;

  constructor(options: { world?: WorldOptions; server?: SimRedisServerOptions } = {}) {
    this.world = new World({ guard: true, ...options.world });
    this.network = new Network(this.world, { latencyMs: LATENCY_MS });
    this.server = new SimRedisServer(this.world, 'n1', options.server);
  }

  client(
    name: string,
    address: RedisAddress = this.server,
    options: SimRedisNodeOptions = {},
  ): Client {
    const process = this.world.process(name);
    return new Client(process, simRedisNode(process, address, this.network, options));
  }

  /** The value of a key on a server, by its own clock. */
  read(key: string, server: SimRedisServer = this.server): unknown {
    return server.engine.execute(['GET', key]);
  }
}

export class Client {
  readonly process: SimProcess;
  readonly node: RedisNode;

  constructor(process: SimProcess, node: RedisNode) {
    this.process = process;
    this.node = node;
  }

  /** Sends a command with a deadline that many ms from now; an undo of `key` is kept for ten seconds. */
  command(args: readonly string[], deadlineMs = 100, undo?: readonly string[]): Promise<Reply> {
    return this.node.command(args, this.#options(deadlineMs, undo));
  }

  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    deadlineMs = 100,
  ): Promise<Reply> {
    return this.node.script(script, keys, args, this.#options(deadlineMs));
  }

  #options(deadlineMs: number, undo?: readonly string[]): CallOptions {
    const nowMs = this.process.clocks.monotonicMs;
    return {
      deadlineMs: nowMs + deadlineMs,
      ...(undo === undefined ? {} : { undo: { args: undo, keepUntilMs: nowMs + 10_000 } }),
    };
  }
}

/** Resolves to the reason of a rejection. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { resolved: await promise };
  } catch (error) {
    return error;
  }
}
