export type { IoredisClient, NodeRedisClient, RedisClient } from './adapters/clients.ts';
export type { RedisLibrary } from './adapters/load.ts';
export {
  describeNode,
  type NodeDescription,
  type NodeWarning,
  requireMaster,
  warningsOf,
} from './describe.ts';
export { type OpenRedisNodeOptions, openRedisNode, type RedisSource } from './open.ts';
export * from './port.ts';
export { classifyReply, REPLY_TABLE, type ReplyMeaning, type ReplyRow } from './replies.ts';
