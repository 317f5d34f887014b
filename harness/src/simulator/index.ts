export { FAULTS } from '../faults/index.ts';
export {
  clusterOf,
  kindOf,
  loadServers,
  SERVER_KINDS,
  type ServerKindName,
  serverKind,
} from '../servers/cluster-of.ts';
export { type EngineOptions, RedisEngine } from '../servers/redis/simulated/engine.ts';
export type { EngineSnapshot } from '../servers/redis/simulated/keyspace.ts';
export {
  type RedisAddress,
  type SimRedisNodeOptions,
  simRedisNode,
} from '../servers/redis/simulated/node.ts';
export type { EngineReply, ErrorReply } from '../servers/redis/simulated/reply.ts';
export { SimSentinel } from '../servers/redis/simulated/sentinel.ts';
export { SimRedisServer, type SimRedisServerOptions } from '../servers/redis/simulated/server.ts';
export {
  SimRedisService,
  type SimRedisServiceOptions,
  type SplitBrainOptions,
} from '../servers/redis/simulated/service.ts';
export { moveKey } from '../servers/redis/simulated/slot-move.ts';
export { SlotGuard } from '../servers/redis/simulated/slots.ts';
export { SimUnsupportedError } from '../servers/unsupported.ts';
export type { AnchorMoment } from '../sim/anchors.ts';
export type { CallLatency } from '../sim/call.ts';
export { EPOCH_MS } from '../sim/clock.ts';
export { channelDriver, type Driver, immediateDriver, type RunTurn } from '../sim/driver.ts';
export { SimAmbientError, SimLimitError, SimStuckError, SimUnhandledError } from '../sim/errors.ts';
export type { ExhaustedRun, ExhaustOptions, Scope } from '../sim/exhaustive/exhaust.ts';
export type { Explored } from '../sim/exhaustive/explore.ts';
export { type ShowsViolation, shorten } from '../sim/exhaustive/shorten.ts';
export type { TimeModel } from '../sim/exhaustive/time-advancer.ts';
export { keepGuard, refusing } from '../sim/guard.ts';
export { Lazy } from '../sim/lazy.ts';
export type { Message, MessageKind, Rule, RuleOutcome } from '../sim/net/message.ts';
export { type Named, Network, type NetworkOptions } from '../sim/net/network.ts';
export type { SimProcess } from '../sim/process.ts';
export { type Random, random } from '../sim/random.ts';
export { type Effect, type Hold, Recorder, type ValidFor } from '../sim/recorder.ts';
export { BATCH, batchOf, type Setup } from '../sim/schedule/arbitraries.ts';
export type { Cluster, KeyChange, RestartOptions } from '../sim/schedule/cluster.ts';
export { type FaultRegistry, type FaultUnderTest, NONE } from '../sim/schedule/fault.ts';
export { isWholeUs } from '../sim/schedule/fields.ts';
export type { Injection } from '../sim/schedule/injections.ts';
export type { KeyFreed } from '../sim/schedule/key-freed.ts';
export {
  DEFAULT_LIVENESS_BOUNDS,
  type LivenessBounds,
  type LivenessConditions,
} from '../sim/schedule/liveness-bounds.ts';
export type { Minimised, StillFails } from '../sim/schedule/minimise.ts';
export type { PlayOptions, PlayResult } from '../sim/schedule/play.ts';
export { ScheduleError } from '../sim/schedule/reader.ts';
export {
  type Choreography,
  type ClientTarget,
  type Deployment,
  type RealLock,
  type RestartData,
  type ServerTarget,
  type Step,
  stepsOf,
  type Unplayable,
  type Verb,
  verbOf,
} from '../sim/schedule/real.ts';
export {
  type Aftermath,
  type ClientId,
  clientsOf,
  type Fault,
  nodeName,
  nodesIn,
  type Op,
  type Repointing,
  type Schedule,
  type When,
} from '../sim/schedule/schedule.ts';
export { SOMETIMES, type Sometimes } from '../sim/schedule/sometimes.ts';
export {
  type ExpectedResult,
  REPLAY_STRING_MAX,
  type Story,
  type StoryCode,
  type StoryProperty,
  storyToString,
} from '../sim/schedule/story.ts';
export {
  ClientEnv,
  type Subject,
  type SubjectCore,
  type SubjectEnv,
  type Topology,
} from '../sim/schedule/subject.ts';
export { hashOf, type Trace, type TraceRecord } from '../sim/trace.ts';
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
