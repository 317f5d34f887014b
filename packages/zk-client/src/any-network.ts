/** Sessions over a network that the caller passes. Nothing here needs Node. */

export { type Acl, creatorAcl, openAcl, type Permission } from './acl.ts';
export type { Clock, Instant } from './clock.ts';
export type { Credential } from './credentials.ts';
export {
  NotSentError,
  OpenError,
  OptionError,
  ReplyError,
  RequestError,
  UnknownOutcomeError,
  ZooKeeperError,
} from './errors.ts';
export type { MultiOperation, MultiResult } from './multi.ts';
export type { Dial, Network, Resolve, Wire, WireEvents } from './network.ts';
export type { NetworkSessionOptions } from './options.ts';
export type { Answered } from './pending-requests.ts';
export type { Access, Content, Listing } from './read-operations.ts';
export type { Stat } from './records.ts';
export type { FailureCode } from './reply-codes.ts';
export type { Watching } from './request.ts';
export type { Address } from './servers.ts';
export {
  type CloseOptions,
  type ExistsResult,
  NetworkSession,
  type SetResult,
} from './session.ts';
export type { SessionState } from './session-state.ts';
export type { WatchEvent, WatchEventType } from './watch-event.ts';
export type { WatchListener } from './watches.ts';
export type { Created, CreateMode, CreateOptions, Data } from './write-operations.ts';
