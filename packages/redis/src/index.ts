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
export { Doubts } from './doubts.ts';
export { GiveBack, type Owed } from './give-back.ts';
export { healthOf } from './health.ts';
export { type Lifetime, leftMs, lifetimeOf } from './lifetime.ts';
export {
  addressOfSource,
  type OpenRedisNodeOptions,
  openRedisNode,
  type RedisSource,
} from './open.ts';
export { outcomeOf, StrangeReply } from './outcome.ts';
export * from './port.ts';
export { classifyReply, REPLY_TABLE, type ReplyMeaning, type ReplyRow } from './replies.ts';
export { isInteger, isRemainingMs, isValue, isYesOrNo } from './shapes.ts';
export { storedStem } from './stored-stem.ts';
