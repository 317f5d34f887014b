export type {
  HostPort,
  IoredisClient,
  IoredisCluster,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisSentinel,
  RedisClient,
  RedisClusterClient,
} from './adapters/clients.ts';
export type { RedisLibrary } from './adapters/load.ts';
export { resolveAddress } from './adapters/network.ts';
export {
  describeNode,
  evictionOf,
  type NodeDescription,
  requireMaster,
} from './describe.ts';
export {
  addressOfSource,
  type OpenRedisNodeOptions,
  openRedisNode,
  type RedisSource,
} from './open.ts';
export { expectReply, outcomeOf, UnexpectedReply } from './outcome.ts';
export * from './port.ts';
export { closeWithin, type RecipeParts, RedisBackend } from './recipe/backend.ts';
export { type StoredLocks, storedKeyPages } from './recipe/held-keys.ts';
export { keyPrefix } from './recipe/key-prefix.ts';
export { type Lifetime, leftMs, lifetimeOf, undoBy } from './recipe/lifetime.ts';
export {
  type ErrorContext,
  type Failure,
  FOREIGN_REASONS,
  failureOf,
  foreignKeyError,
  isDoubt,
  isOverwritten,
  messageOf,
  operatorError,
} from './recipe/lock-errors.ts';
export { redisMarks } from './recipe/marks.ts';
export { checkNode, type NodeCheck } from './recipe/node-check.ts';
export { type OpenedNode, openSingleNode, type SingleNodeOptions } from './recipe/opening.ts';
export { healthOf, operatorCallOptions, singleNodeHealth } from './recipe/operator.ts';
export { type PendingRelease, PendingReleases } from './recipe/pending-releases.ts';
export { checkReplicas } from './recipe/replicas.ts';
export type { Rights, ScriptedCommand } from './recipe/rights.ts';
export { UnresolvedAttempts } from './recipe/unresolved-attempts.ts';
export { JITTER_MS, SAFETY_POLL_MS, WakeUp, type WakeUpOptions } from './recipe/wake-up.ts';
export { classifyReply, REPLY_TABLE, type ReplyMeaning, type ReplyRow } from './replies.ts';
export type { NatMap, SentinelOptions } from './sentinel/sentinel-options.ts';
export { isInteger, isRemainingMs, isValue, isZeroOrOne } from './shapes.ts';
