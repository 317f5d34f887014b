import { type EngineReply, RedisEngine } from '@holdfast/harness/simulator';

export const NOW_US = 1_790_000_000_123_456;

/** A server whose clock is stopped, for one script after the other. */
export class ScriptServer {
  readonly engine: RedisEngine;
  readonly published: string[] = [];

  constructor() {
    const publish = (_channel: string, message: string): number => this.published.push(message);
    this.engine = new RedisEngine({ nowUs: () => NOW_US, runId: 'a'.repeat(40), publish });
  }

  /** A replica with this value of the key `lock`, which it refuses to change. */
  static replica(value?: string): ScriptServer {
    const at = new ScriptServer();
    if (value !== undefined) at.engine.execute(['SET', 'lock', value, 'PX', '1000']);
    at.engine.role = 'replica';
    return at;
  }

  run(
    { source }: { readonly source: string },
    keys: readonly string[],
    args: readonly string[] = [],
  ): EngineReply {
    return this.engine.execute(['EVAL', source, `${keys.length}`, ...keys, ...args]);
  }
}
