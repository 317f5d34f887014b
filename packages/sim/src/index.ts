export type { Moment } from './anchors.ts';
export { EPOCH_MS } from './clock.ts';
export { channelDriver, type Driver, immediateDriver, type Turn } from './driver.ts';
export { SimAmbientError, SimLimitError, SimStuckError, SimUnhandledError } from './errors.ts';
export {
  type ExhaustOptions,
  type Explored,
  exhaust,
  type Scope,
  type Shows,
  shorten,
  type Tempo,
  type Whole,
} from './exhaustive/index.ts';
export { FAULTS } from './faults/index.ts';
export { keepGuard, refusing } from './guard.ts';
export type { Message, Rule, Verdict, Way } from './net/message.ts';
export { type Named, Network, type NetworkOptions } from './net/network.ts';
export type { CallLatency, SimProcess } from './process.ts';
export { type Random, random } from './random.ts';
export { type Effect, type Hold, Recorder, type ValidFor } from './recorder.ts';
export { type EngineOptions, RedisEngine } from './redis/engine.ts';
export type { EngineSnapshot } from './redis/keyspace.ts';
export { type RedisAddress, type SimRedisNodeOptions, simRedisNode } from './redis/node.ts';
export type { EngineReply, ErrorReply } from './redis/reply.ts';
export { SimRedisServer, type SimRedisServerOptions } from './redis/server.ts';
export {
  SimRedisService,
  type SimRedisServiceOptions,
  type SplitBrainOptions,
} from './redis/service.ts';
export type { Touch } from './redis/touch-watch.ts';
export { SimUnsupportedError } from './redis/unsupported.ts';
export type { RestartOptions } from './restart.ts';
export {
  type Aftermath,
  BATCH,
  batchOf,
  type Choreography,
  type ClientId,
  clientsOf,
  type Data,
  type Deployment,
  type Expect,
  type Fails,
  type Fault,
  type FaultBook,
  type FaultUnderTest,
  type Freed,
  GENERAL_PATIENCE,
  isWholeUs,
  type Minimised,
  NONE,
  nodeName,
  nodesIn,
  type Op,
  type Patience,
  type Played,
  type PlayOptions,
  type RealLock,
  type Repointing,
  type Schedule,
  ScheduleError,
  type Setup,
  type Situation,
  SOMETIMES,
  type Sometimes,
  type Step,
  type Story,
  type StoryProperty,
  type Strike,
  type Subject,
  type SubjectCore,
  type SubjectEnv,
  stepsOf,
  storyToString,
  type Unplayable,
  type Verb,
  verbOf,
  type When,
  type Which,
  type Who,
} from './schedule/index.ts';
export {
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
export type { Trace, TraceRecord } from './trace.ts';
export { type ProcessOptions, World, type WorldOptions } from './world.ts';
export { SimZooKeeper, type SimZooKeeperOptions } from './zookeeper/ensemble.ts';
export { type SimSessionOptions, simOpenSession } from './zookeeper/open-session.ts';
export type { SimZnode, SimZooKeeperServer } from './zookeeper/server.ts';
