export { FAULTS } from '../faults/index.ts';
export { type EngineOptions, RedisEngine } from '../servers/redis/simulated/engine.ts';
export type { EngineSnapshot } from '../servers/redis/simulated/keyspace.ts';
export {
  type RedisAddress,
  type SimRedisNodeOptions,
  simRedisNode,
} from '../servers/redis/simulated/node.ts';
export type { EngineReply, ErrorReply } from '../servers/redis/simulated/reply.ts';
export { SimUnsupportedError } from '../servers/redis/simulated/reply.ts';
export { SimRedisServer, type SimRedisServerOptions } from '../servers/redis/simulated/server.ts';
export {
  SimRedisService,
  type SimRedisServiceOptions,
  type SplitBrainOptions,
} from '../servers/redis/simulated/service.ts';
export { SimZooKeeper, type SimZooKeeperOptions } from '../servers/zookeeper/simulated/ensemble.ts';
export {
  type SimSessionOptions,
  simOpenSession,
} from '../servers/zookeeper/simulated/open-session.ts';
export type { SimZnode, SimZooKeeperServer } from '../servers/zookeeper/simulated/server.ts';
export type { Moment } from '../sim/anchors.ts';
export { EPOCH_MS } from '../sim/clock.ts';
export { channelDriver, type Driver, immediateDriver, type RunTurn } from '../sim/driver.ts';
export { SimAmbientError, SimLimitError, SimStuckError, SimUnhandledError } from '../sim/errors.ts';
export {
  type ExhaustedRun,
  type ExhaustOptions,
  type Explored,
  type Scope,
  type ShowsViolation,
  shorten,
  type TimeModel,
} from '../sim/exhaustive/index.ts';
export { keepGuard, refusing } from '../sim/guard.ts';
export type { Message, MessageKind, Rule, RuleOutcome } from '../sim/net/message.ts';
export { type Named, Network, type NetworkOptions } from '../sim/net/network.ts';
export type { CallLatency, SimProcess } from '../sim/process.ts';
export { type Random, random } from '../sim/random.ts';
export { type Effect, type Hold, Recorder, type ValidFor } from '../sim/recorder.ts';
export type { RestartOptions } from '../sim/restart.ts';
export {
  type Aftermath,
  BATCH,
  batchOf,
  type Choreography,
  type ClientId,
  type ClientTarget,
  clientsOf,
  type Data,
  DEFAULT_LIVENESS_BOUNDS,
  type Deployment,
  type Expect,
  type Fault,
  type FaultRegistry,
  type FaultUnderTest,
  type Injection,
  isWholeUs,
  type KeyFreed,
  type LivenessBounds,
  type LivenessConditions,
  type Minimised,
  NONE,
  nodeName,
  nodesIn,
  type Op,
  type PlayOptions,
  type PlayResult,
  type RealLock,
  type Repointing,
  type Schedule,
  ScheduleError,
  type ServerTarget,
  type Setup,
  SOMETIMES,
  type Sometimes,
  type Step,
  type StillFails,
  type Story,
  type StoryProperty,
  type Subject,
  type SubjectCore,
  type SubjectEnv,
  stepsOf,
  storyToString,
  type Unplayable,
  type Verb,
  verbOf,
  type When,
} from '../sim/schedule/index.ts';
export type { KeyChange } from '../sim/schedule/key-change.ts';
export type { Trace, TraceRecord } from '../sim/trace.ts';
export { type ProcessOptions, World, type WorldOptions } from '../sim/world.ts';
export {
  exhaust,
  FAULT_IDS,
  meaningOfFault,
  minimise,
  needsServers,
  parseSchedule,
  parseStory,
  parseStoryText,
  play,
  schedulesFor,
  storyFromString,
} from './simulated.ts';
