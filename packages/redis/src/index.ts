export type { IoredisClient, NodeRedisClient, RedisClient } from './adapters/clients.ts';
export type { RedisLibrary } from './adapters/load.ts';
export { resolveAddress } from './adapters/resolve.ts';
export { checkNode } from './check-node.ts';
export { closeWithin } from './close-within.ts';
export {
  describeNode,
  type NodeDescription,
  type NodeWarning,
  requireMaster,
  warningsOf,
} from './describe.ts';
export { healthOf } from './health.ts';
export { keyPrefix } from './key-prefix.ts';
export { type Lifetime, leftMs, lifetimeOf } from './lifetime.ts';
export {
  addressOfSource,
  type OpenRedisNodeOptions,
  openRedisNode,
  type RedisSource,
} from './open.ts';
export { outcomeOf, UnexpectedReply } from './outcome.ts';
export { type PendingRelease, PendingReleases } from './pending-releases.ts';
export * from './port.ts';
export { classifyReply, REPLY_TABLE, type ReplyMeaning, type ReplyRow } from './replies.ts';
export { isInteger, isRemainingMs, isValue, isZeroOrOne } from './shapes.ts';
export { UnresolvedAttempts } from './unresolved-attempts.ts';
