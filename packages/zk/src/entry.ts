import { ownerValue, type Validity } from '@holdfast/core';
import type { Deadline } from './deadline.ts';
import { type Created, SessionDoubt, SessionUnavailable, type ZooKeeperSession } from './port.ts';
import type { Presence } from './presence.ts';
import type { Proven } from './proof-of-life.ts';
import { isBefore, type Place, parsePlace, prefixOf } from './queue.ts';
import { pause } from './removals.ts';
import { ensure, ensureRoots, isReply, statOf } from './roots.ts';
import type { Store } from './store.ts';

/** Whose entry it is. */
export interface Entrant {
  readonly contender: string;
  /** Which entry of this contender; a later one follows where an earlier was taken away. */
  readonly n: number;
  /** The container of the key. */
  readonly container: string;
}

/** A node in the queue. */
export interface OwnNode {
  readonly path: string;
  readonly place: Place;
  /** Its creation: the fencing token. */
  readonly czxid: bigint;
  /** What its creation proves; undefined where its answer was lost. */
  readonly validity: Validity | undefined;
}

/** A container that is reaped time and again would keep an attempt from ever ending. */
const MAKE_MAX = 5;

/**
 * How one contender comes to stand in the queue of a key, within one session: its creation, and, where the answer to
 * that was lost, finding out whether it stands.
 */
export class Entry {
  readonly presence: Presence;
  readonly owner: string;
  readonly #store: Store;
  readonly #entrant: Entrant;
  #node: OwnNode | undefined;
  #creating: Promise<void> | undefined;
  #finding: Promise<void> | undefined;
  /** A creation was sent, and nobody knows whether it was applied. */
  #isDoubtful = false;

  constructor(presence: Presence, store: Store, entrant: Entrant) {
    const { contender, n } = entrant;
    this.presence = presence;
    this.owner = ownerValue({ contender, n, label: store.host.label });
    this.#store = store;
    this.#entrant = entrant;
  }

  /** Its node, which it makes unless it may stand already. Rejects as the session does. */
  async node(deadline: Deadline): Promise<OwnNode> {
    for (let made = 0; ; ) {
      if (this.#creating === undefined && this.#isDoubtful) await deadline.of(this.#find());
      if (this.#node !== undefined) return this.#node;
      if (this.#creating === undefined) await this.#prepare(deadline);
      this.#creating ??= this.#create();
      try {
        await deadline.of(this.#creating);
      } catch (cause) {
        // Its container has never been there, or was reaped a moment ago.
        if (!isReply(cause, 'NONODE') || made++ === MAKE_MAX) throw cause;
        await deadline.of(this.#makeContainer());
      }
    }
  }

  /** Removes it; false: something may stand until the session has ended. Takes as long as that is open; never rejects. */
  async undo(): Promise<boolean> {
    const { presence } = this;
    await this.#creating?.catch(() => {});
    for (let failures = 0; this.#isDoubtful; failures++) {
      await presence.settled();
      if (presence.isOver) break;
      await this.#find().catch(() => pause(this.#store.host.runtime, failures));
    }
    if (!this.mayStand) return true;
    if (this.#node === undefined || presence.isOver) return presence.lingersMs === 0;
    const removal = await presence.removals.remove(this.#node.path);
    return removal === 'ended' ? presence.lingersMs === 0 : removal !== 'denied';
  }

  /** Whether a node of it is there, as far as we know. */
  get mayStand(): boolean {
    return this.#node !== undefined || this.#isDoubtful || this.#creating !== undefined;
  }

  /** No doubt comes of this: nothing was created yet. */
  async #prepare(deadline: Deadline): Promise<void> {
    try {
      await deadline.of(this.presence.proof.prepare());
    } catch (cause) {
      if (!(cause instanceof SessionDoubt)) throw cause;
      throw new SessionUnavailable('the leader did not answer', cause);
    }
  }

  #create(): Promise<void> {
    const { acl } = this.#store;
    const { container, contender } = this.#entrant;
    const path = `${container}/${prefixOf(contender)}`;
    const options = { mode: 'ephemeral-sequential', acl } as const;
    const creating = this.presence.proof
      .by(() => this.#session.create(path, this.owner, options))
      .then((created) => this.#stands(created))
      .catch((cause: unknown) => {
        this.#isDoubtful ||= cause instanceof SessionDoubt;
        throw cause;
      })
      .finally(() => {
        this.#creating = undefined;
      });
    // Its attempt may have ended before it.
    creating.catch(() => {});
    return creating;
  }

  #stands({ path, czxid, validity }: Created & Proven): void {
    this.#node = { path, czxid, validity, place: placeOf(path) };
  }

  async #makeContainer(): Promise<void> {
    const { acl, layout } = this.#store;
    const { container } = this.#entrant;
    const make = (): Promise<void> => ensure(this.#session, container, { mode: 'container', acl });
    try {
      await make();
    } catch (cause) {
      if (!isReply(cause, 'NONODE')) throw cause;
      await ensureRoots(this.#session, layout.roots, acl);
      await make();
    }
  }

  /** One search at a time: a late one would bring back what an earlier one saw. */
  #find(): Promise<void> {
    if (this.#finding !== undefined) return this.#finding;
    const finding = this.#search().finally(() => {
      this.#finding = undefined;
    });
    // Its attempt may have ended before it.
    finding.catch(() => {});
    this.#finding = finding;
    return finding;
  }

  /**
   * Whether the doubtful creation was applied. The server asked may not have seen it yet, hence `sync`. A node of an
   * earlier session is not ours, however much it looks so: it goes away with that session (CURATOR-498, -604).
   */
  async #search(): Promise<void> {
    const { container, contender } = this.#entrant;
    const found: OwnNode[] = [];
    this.presence.answers.add(await this.#session.sync(container));
    for (const name of await this.#names(container)) {
      const place = parsePlace(name);
      if (place?.contender !== contender) continue;
      const node = await this.#ownNode(`${container}/${name}`, place);
      if (node !== undefined) found.push(node);
    }
    const [first, ...rest] = found.toSorted((a, b) => (isBefore(a.place, b.place) ? -1 : 1));
    for (const { path } of rest) void this.presence.removals.remove(path);
    this.#node = first;
    this.#isDoubtful = false;
  }

  async #names(container: string): Promise<readonly string[]> {
    try {
      return (await this.#session.list(container)).children;
    } catch (cause) {
      if (isReply(cause, 'NONODE')) return [];
      throw cause;
    }
  }

  async #ownNode(path: string, place: Place): Promise<OwnNode | undefined> {
    const stat = await statOf(this.#session, path);
    if (stat?.ephemeralOwner !== this.#session.id) return undefined;
    return { path, place, czxid: stat.czxid, validity: undefined };
  }

  get #session(): ZooKeeperSession {
    return this.presence.session;
  }
}

function placeOf(path: string): Place {
  const place = parsePlace(path.slice(path.lastIndexOf('/') + 1));
  if (place === undefined) throw new Error(`${path} was created, which is no contender’s name`);
  return place;
}
