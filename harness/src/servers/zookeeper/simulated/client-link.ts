import type { Connection } from '../../../sim/net/connection.ts';
import { type Identities, mayDo } from './acl.ts';
import { connectReplyFrame, eventFrame, type NumberedRequest, replyFrame } from './codec.ts';
import type { Program } from './program.ts';
import {
  describeReply,
  isRead,
  type ReadRequest,
  type SetWatches,
  type ZooKeeperReply,
} from './request.ts';
import type { ServerSession } from './session.ts';
import type { Waiter } from './transaction-log.ts';
import type { Tree } from './tree.ts';
import type { WatchedChange, Watchers } from './watchers.ts';

/** A request without a reply so far. */
class PendingRequest implements Waiter {
  readonly numbered: NumberedRequest;
  readonly identities: Identities;
  readonly #link: ClientLink;
  reply: ZooKeeperReply | undefined;

  constructor(link: ClientLink, numbered: NumberedRequest) {
    this.#link = link;
    this.numbered = numbered;
    this.identities = link.identities;
  }

  get program(): Program {
    return this.#link.program;
  }

  done(reply: ZooKeeperReply): void {
    this.reply = reply;
    this.#link.drain();
  }

  refused(): void {
    this.#link.abort('the session goes on elsewhere, or not at all');
  }
}

/**
 * A server's end of a client's connection. Replies leave in the order of the requests: behind an uncommitted write even
 * pings wait, as in ZooKeeper's CommitProcessor.
 */
export class ClientLink {
  readonly program: Program;
  readonly connection: Connection;
  /** Paths that this client watches here. */
  readonly watched: Set<string> = new Set();
  identities: Identities = [];
  session: ServerSession | undefined;
  /** Receives a frame in the client's process. */
  receive: (frame: Uint8Array) => void = () => {};
  #queue: PendingRequest[] = [];
  #isOver = false;

  constructor(program: Program, connection: Connection) {
    this.program = program;
    this.connection = connection;
  }

  /** `session` is undefined if it has ended. */
  replyConnect(session: ServerSession | undefined): void {
    const frame = connectReplyFrame(session);
    this.connection.reply('session', this.program.departUs, () => this.receive(frame));
  }

  take(session: ServerSession, numbered: NumberedRequest): void {
    const { request } = numbered;
    if (request.kind === 'auth') {
      this.identities = [...this.identities, request.identity];
      // Past the queue, as in ZooKeeperServer.processPacket.
      return this.#send(numbered, { zxid: this.program.zxid });
    }
    if (isRead(request) && this.#queue.length === 0)
      return this.#send(numbered, replyToRead(this.program, this, request));
    const entry = new PendingRequest(this, numbered);
    this.#queue.push(entry);
    if (!isRead(request)) this.program.role.submit(session, request, entry);
  }

  /** Sends every reply that is due. */
  drain(): void {
    while (!this.#isOver && this.session !== undefined) {
      const [entry] = this.#queue;
      if (entry === undefined) return;
      const { request } = entry.numbered;
      const reply = isRead(request) ? replyToRead(this.program, this, request) : entry.reply;
      if (reply === undefined) return;
      this.#queue.shift();
      this.#send(entry.numbered, reply);
    }
  }

  notify(change: WatchedChange, path: string): void {
    const frame = eventFrame(change, path);
    this.connection.push(
      'watch',
      this.program.departUs,
      () => this.receive(frame),
      () => path,
    );
  }

  abort(reason: string): void {
    if (!this.#isOver) this.connection.abort(reason);
  }

  disconnected(): void {
    this.#isOver = true;
    this.#queue = [];
  }

  #send(numbered: NumberedRequest, reply: ZooKeeperReply): void {
    const frame = replyFrame(numbered, reply);
    this.connection.reply(
      numbered.request.kind,
      this.program.departUs,
      () => this.receive(frame),
      () => describeReply(reply),
    );
  }
}

/** The state that reads are served from. */
interface AppliedState {
  readonly tree: Tree;
  readonly watchers: Watchers;
  /** The latest transaction applied. */
  readonly zxid: number;
}

/** Replies from what this server has applied, which may be old. */
function replyToRead(
  applied: AppliedState,
  link: ClientLink,
  request: ReadRequest,
): ZooKeeperReply {
  const { tree, watchers, zxid } = applied;
  if (request.kind === 'ping') return { zxid };
  if (request.kind === 'setWatches') {
    setWatches(applied, link, request);
    return { zxid };
  }
  if (request.kind === 'removeWatch') {
    watchers.remove(request.path, link);
    return { zxid };
  }
  const node = tree.get(request.path);
  if (request.kind === 'existsWatch') {
    watchers.add(request.path, link);
    if (node === undefined) return { zxid, code: 'NONODE' };
    return { zxid, czxid: node.czxid, owner: node.owner, version: node.version };
  }
  if (node === undefined) return { zxid, code: 'NONODE' };
  if (!mayDo(node.acl, link.identities, 'read')) return { zxid, code: 'NOAUTH' };
  if (request.kind === 'list') return { zxid, children: [...node.children] };
  return { zxid, data: node.data, czxid: node.czxid, owner: node.owner, version: node.version };
}

/** Watches on nodes that changed since the client's `zxid` fire at once (DataTree.setWatches). */
function setWatches({ tree, watchers }: AppliedState, link: ClientLink, request: SetWatches): void {
  for (const path of request.there) {
    const node = tree.get(path);
    if (node === undefined) link.notify('deleted', path);
    else if (node.mzxid > request.zxid) link.notify('changed', path);
    else watchers.add(path, link);
  }
  for (const path of request.missing) {
    if (tree.get(path) !== undefined) link.notify('created', path);
    else watchers.add(path, link);
  }
}
