import type { NodeAcl } from './acl.ts';
import type { ServerSession } from './session.ts';
import type { Change } from './transaction-log.ts';

const NO_CHILDREN: ReadonlySet<string> = new Set();

/** One node, with only those counters that a lock can observe. */
export class Znode {
  data: string;
  readonly czxid: number;
  mzxid: number;
  /** The number of changes of its data. */
  version = 0;
  readonly owner: ServerSession | undefined;
  readonly isContainer: boolean;
  readonly acl: NodeAcl | undefined;
  /** Number of children ever created, from which sequence numbers are taken; deletes do not lower it. */
  creates = 0;
  #children: Set<string> | undefined;

  constructor(
    data: string,
    zxid: number,
    owner?: ServerSession,
    isContainer = false,
    acl?: NodeAcl,
  ) {
    this.data = data;
    this.czxid = zxid;
    this.mzxid = zxid;
    this.owner = owner;
    this.isContainer = isContainer;
    this.acl = acl;
  }

  get children(): ReadonlySet<string> {
    return this.#children ?? NO_CHILDREN;
  }

  /** Most nodes never have a child, and every server has its own copy of each node. */
  add(child: string): void {
    this.creates++;
    (this.#children ??= new Set()).add(child);
  }

  remove(child: string): void {
    this.#children?.delete(child);
  }
}

/** The data of one server, which results from its applied transactions alone. */
export class Tree {
  readonly #nodes = new Map<string, Znode>([['/', new Znode('', 0)]]);
  /** The paths of the ephemeral nodes of every live session. */
  readonly #sessions = new Map<ServerSession, Set<string>>();

  get(path: string): Znode | undefined {
    return this.#nodes.get(path);
  }

  has(session: ServerSession): boolean {
    return this.#sessions.has(session);
  }

  get sessions(): Iterable<ServerSession> {
    return this.#sessions.keys();
  }

  get nodes(): Iterable<[path: string, node: Znode]> {
    return this.#nodes.entries();
  }

  ephemeralsOf(session: ServerSession): readonly string[] {
    return [...(this.#sessions.get(session) ?? [])];
  }

  /** The leader has checked the change against an identical tree. */
  apply(change: Change, zxid: number): void {
    switch (change.kind) {
      case 'create':
        return this.#create(change, zxid);
      case 'delete':
        return this.#delete(change.path);
      case 'setData':
        return this.#setData(change, zxid);
      case 'createSession':
        return void this.#sessions.set(change.session, new Set());
      case 'closeSession':
        for (const path of change.paths) this.#delete(path);
        return void this.#sessions.delete(change.session);
      case 'refused':
    }
  }

  #create(change: Extract<Change, { kind: 'create' }>, zxid: number): void {
    const { path, data, owner, isContainer, acl } = change;
    this.#nodes.set(path, new Znode(data, zxid, owner, isContainer, acl));
    this.#nodes.get(parentOf(path))?.add(nameOf(path));
    if (owner !== undefined) this.#sessions.get(owner)?.add(path);
  }

  #delete(path: string): void {
    const node = this.#nodes.get(path);
    if (node === undefined) return;
    this.#nodes.delete(path);
    this.#nodes.get(parentOf(path))?.remove(nameOf(path));
    if (node.owner !== undefined) this.#sessions.get(node.owner)?.delete(path);
  }

  #setData({ path, data }: Extract<Change, { kind: 'setData' }>, zxid: number): void {
    const node = this.#nodes.get(path);
    if (node === undefined) return;
    node.data = data;
    node.mzxid = zxid;
    node.version++;
  }
}

/** Containers that had children and have none left; a leader deletes them at intervals (ContainerManager). */
export function emptyContainers(tree: Tree): readonly string[] {
  const empty: string[] = [];
  for (const [path, node] of tree.nodes)
    if (node.isContainer && node.creates > 0 && node.children.size === 0) empty.push(path);
  return empty;
}

/** The parent's path; `/` for children of the root. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

/** The last part of a path. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const SEQUENCE_DIGITS = 10;

/** As the server appends it: the number of children ever created under the parent, with leading zeros. */
export function sequence(creates: number): string {
  return String(creates).padStart(SEQUENCE_DIGITS, '0');
}
