import { SessionReplyError } from '../../src/port.ts';

export interface HandNode {
  data: string;
  readonly czxid: bigint;
  /** 0 if the node is not ephemeral. */
  readonly owner: bigint;
  /** The number of children ever created in it. */
  made: number;
  /** The number of changes of its data. */
  version: number;
}

/** The tree that all sessions of a test share, with its watches. */
export class HandTree {
  readonly nodes = new Map<string, HandNode>([
    ['/', { data: '', czxid: 0n, owner: 0n, made: 0, version: 0 }],
  ]);
  readonly watches = new Map<string, Set<() => void>>();
  zxid = 0x1_0000_0000n;

  create(path: string, data: string, owner: bigint, isSequential: boolean): string {
    const parent = this.#parentOf(path);
    const full = isSequential ? `${path}${String(parent.made).padStart(10, '0')}` : path;
    if (this.nodes.has(full)) throw new SessionReplyError('NODEEXISTS', full);
    parent.made += 1;
    this.zxid += 1n;
    this.nodes.set(full, { data, czxid: this.zxid, owner, made: 0, version: 0 });
    this.fire(full);
    return full;
  }

  delete(path: string): void {
    this.at(path);
    if (this.children(path).length > 0) throw new SessionReplyError('NOTEMPTY', path);
    this.nodes.delete(path);
    this.fire(path);
  }

  setData(path: string, data: string, version?: number): void {
    const node = this.at(path);
    if (version !== undefined && version !== node.version)
      throw new SessionReplyError('BADVERSION', path);
    node.data = data;
    node.version += 1;
    this.fire(path);
  }

  at(path: string): HandNode {
    const node = this.nodes.get(path);
    if (node === undefined) throw new SessionReplyError('NONODE', path);
    return node;
  }

  children(path: string): string[] {
    this.at(path);
    const start = path === '/' ? '/' : `${path}/`;
    return [...this.nodes.keys()]
      .filter((each) => each.startsWith(start) && each !== path)
      .map((each) => each.slice(start.length))
      .filter((name) => !name.includes('/') && name !== '');
  }

  watch(path: string, listener: () => void): () => void {
    const listeners = this.watches.get(path) ?? new Set();
    this.watches.set(path, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.watches.delete(path);
    };
  }

  fire(path: string): void {
    const listeners = [...(this.watches.get(path) ?? [])];
    this.watches.delete(path);
    for (const listener of listeners) listener();
  }

  /** Removes everything, like servers that restart without their data. */
  clear(): void {
    for (const path of this.nodes.keys()) if (path !== '/') this.nodes.delete(path);
  }

  /** Removes the nodes and watches of a session that has ended. */
  forget(owner: bigint): void {
    for (const [path, node] of this.nodes) if (node.owner === owner) this.delete(path);
  }

  #parentOf(path: string): HandNode {
    const parent = this.at(path.slice(0, path.lastIndexOf('/')) || '/');
    if (parent.owner !== 0n) throw new SessionReplyError('NOCHILDRENFOREPHEMERALS', path);
    return parent;
  }
}
