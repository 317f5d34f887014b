import type { Runtime } from '@holdfast/core';
import { Line } from './line.ts';
import type { Dialer } from './link.ts';
import {
  type CallOptions,
  NodeReplyError,
  type RedisNode,
  type Reply,
  type Script,
  type Subscription,
} from './port.ts';
import { digestOf } from './script.ts';
import { type WakeUpListener, WakeUps } from './wake-ups.ts';

export interface NodeOptions {
  readonly runtime: Runtime;
  readonly dialer: Dialer;
  readonly connectMs: number;
  readonly silenceMs: number;
}

/** A node behind a client library: one connection for commands, one for wake-ups once somebody listens. */
export class Node implements RedisNode {
  readonly address: string;
  readonly #line: Line;
  readonly #wakeUps: WakeUps;

  constructor(options: NodeOptions) {
    const { runtime, dialer, connectMs, silenceMs } = options;
    this.address = dialer.address;
    this.#wakeUps = new WakeUps(options);
    // A half-open connection is silent for ever, and a subscriber cannot tell that from having nothing to hear.
    const silent = (cause: Error): void => this.#wakeUps.drop(cause);
    this.#line = new Line({ runtime, dialer, connectMs, silenceMs, silent });
  }

  command(args: readonly string[], options: CallOptions): Promise<Reply> {
    return new Promise((resolve, reject) => this.#line.call(args, options, resolve, reject));
  }

  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: CallOptions,
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const onError = (error: Error): void => {
        if (!(error instanceof NodeReplyError && error.code === 'NOSCRIPT')) return reject(error);
        const inFull = ['EVAL', script.source, `${keys.length}`, ...keys, ...args];
        this.#line.call(inFull, options, resolve, reject);
      };
      const byDigest = ['EVALSHA', digestOf(script), `${keys.length}`, ...keys, ...args];
      this.#line.call(byDigest, options, resolve, onError);
    });
  }

  subscribe(channel: string, listener: WakeUpListener): Promise<Subscription> {
    return this.#wakeUps.subscribe(channel, listener);
  }

  async close(): Promise<void> {
    this.#wakeUps.close();
    await this.#line.close();
  }
}
