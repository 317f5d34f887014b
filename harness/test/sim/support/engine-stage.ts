import { RedisEngine } from '../../../src/simulator/index.ts';

/** An engine whose clock stops until it is set, and everything it announced. */
export interface EngineStage {
  readonly engine: RedisEngine;
  readonly effects: (readonly string[])[];
  readonly published: {
    readonly channel: string;
    readonly message: string;
    readonly sharded: boolean;
  }[];
  nowMs: number;
}

export function engineStage(): EngineStage {
  const effects: (readonly string[])[] = [];
  const published: EngineStage['published'] = [];
  const engine = new RedisEngine({
    nowUs: () => stage.nowMs * 1000,
    runId: 'a'.repeat(40),
    publish: (channel, message, sharded) => published.push({ channel, message, sharded }),
    wrote: (effect) => effects.push(effect),
  });
  const stage: EngineStage = { engine, effects, published, nowMs: 1_790_000_000_000 };
  return stage;
}
