import type { Connection } from '../../../sim/net/connection.ts';
import { type Identities, mayDo } from './acl.ts';
import { answerFrame, eventFrame, greetingFrame, type Numbered } from './codec.ts';
import type { Program } from './program.ts';
import { type Answer, describeAnswer, isRead, type Read, type SetWatches } from './request.ts';
import type { ServerSession } from './session.ts';
import type { Waiter } from './transaction-log.ts';
import type { Tree } from './tree.ts';
import type { WatchedChange, Watchers } from './watchers.ts';

/** One request that has not been answered. */
class Entry implements Waiter {
  readonly numbered: Numbered;
  readonly identities: Identities;
  readonly #link: ClientLink;
  answer: Answer | undefined;

  constructor(link: ClientLink, numbered: Numbered) {
    this.#link = link;
    this.numbered = numbered;
    this.identities = link.identities;
  }

  get program(): Program {
    return this.#link.program;
  }

  done(answer: Answer): void {
    this.answer = answer;
    this.#link.drain();
  }

  refused(): void {
    this.#link.abort('the session goes on elsewhere, or not at all');
  }
}

/**
 * A server's end of a client's connection. Answers leave in the order of the requests: behind a write that is not
 * committed even pings wait, as in ZooKeeper's CommitProcessor.
 */
export class ClientLink {
  readonly program: Program;
  readonly connection: Connection;
  /** Paths that this client watches here. */
  readonly watched: Set<string> = new Set();
  identities: Identities = [];
  session: ServerSession | undefined;
  /** Takes in a frame, in the client's process. */
  receive: (frame: Uint8Array) => void = () => {};
  #queue: Entry[] = [];
  #isOver = false;

  constructor(program: Program, connection: Connection) {
    this.program = program;
    this.connection = connection;
  }

  /** No session: it has ended. */
  greet(session: ServerSession | undefined): void {
    const frame = greetingFrame(session);
    this.connection.reply('session', this.program.departUs, () => this.receive(frame));
  }

  take(session: ServerSession, numbered: Numbered): void {
    const { request } = numbered;
    if (request.kind === 'auth') {
      this.identities = [...this.identities, request.identity];
      // Past the queue, as ZooKeeperServer.processPacket has it.
      return this.#send(numbered, { zxid: this.program.zxid });
    }
    if (isRead(request) && this.#queue.length === 0)
      return this.#send(numbered, reply(this.program, this, request));
    const entry = new Entry(this, numbered);
    this.#queue.push(entry);
    if (!isRead(request)) this.program.role.submit(session, request, entry);
  }

  /** Answers what can be answered by now. */
  drain(): void {
    while (!this.#isOver && this.session !== undefined) {
      const [entry] = this.#queue;
      if (entry === undefined) return;
      const { request } = entry.numbered;
      const answer = isRead(request) ? reply(this.program, this, request) : entry.answer;
      if (answer === undefined) return;
      this.#queue.shift();
      this.#send(entry.numbered, answer);
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

  /** The connection is over. */
  left(): void {
    this.#isOver = true;
    this.#queue = [];
  }

  #send(numbered: Numbered, answer: Answer): void {
    const frame = answerFrame(numbered, answer);
    this.connection.reply(
      numbered.request.kind,
      this.program.departUs,
      () => this.receive(frame),
      () => describeAnswer(answer),
    );
  }
}

/** What a server answers reads by. */
interface AppliedState {
  readonly tree: Tree;
  readonly watchers: Watchers;
  /** The latest transaction applied. */
  readonly zxid: number;
}

/** Answers by what this server has applied, which may be old. */
function reply(applied: AppliedState, link: ClientLink, request: Read): Answer {
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
    return { zxid, czxid: node.czxid, owner: node.owner };
  }
  if (node === undefined) return { zxid, code: 'NONODE' };
  if (!mayDo(node.acl, link.identities, 'read')) return { zxid, code: 'NOAUTH' };
  if (request.kind === 'list') return { zxid, children: [...node.children] };
  return { zxid, data: node.data, czxid: node.czxid, owner: node.owner };
}

/** Those whose node has changed since the client last heard fire at once (DataTree.setWatches). */
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
