import type { Acl, Permission } from '@holdfast/zk-client';

/** A node as ZooKeeper keeps it, in memory. */
interface Node {
  data: string;
  version: number;
  aversion: number;
  /** Children ever created: their sequence numbers, and half of what `cversion` counts. */
  creates: number;
  acl: readonly Permission[];
  /** Which client it goes with. */
  readonly owner: number | undefined;
}

export type WatchedKind = 'node' | 'children';

/** What one request comes to: a value to compare, or ZooKeeper's name of the failure. */
export type Outcome = { readonly value: unknown } | { readonly code: string };

class Refusal extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const ALL: readonly Permission[] = ['read', 'write', 'create', 'delete', 'admin'];
export const world = (permissions: readonly Permission[]): readonly Acl[] => [
  { scheme: 'world', id: 'anyone', permissions },
];

/** The tree of one chroot, after `PrepRequestProcessor`: what is checked in which order, and which watches fire. */
export class TreeModel {
  #nodes = new Map<string, Node>([['/', blank('', undefined, ALL)]]);
  readonly #watches = new Set<string>();
  /** What the watching client must have heard by now, in order. */
  readonly events: string[] = [];
  /** Of nodes that the client may not read: servers since CVE-2024-23944 keep them to themselves, earlier ones told. */
  readonly hidden = new Set<string>();

  try(act: (tree: TreeModel) => unknown): Outcome {
    try {
      return { value: act(this) };
    } catch (error) {
      if (error instanceof Refusal) return { code: error.code };
      throw error;
    }
  }

  /** All or none. */
  multi(acts: readonly ((tree: TreeModel) => unknown)[]): unknown {
    const before = structuredClone(this.#nodes);
    const [events, watches] = [this.events.length, [...this.#watches]];
    for (const [index, act] of acts.entries()) {
      const outcome = this.try(act);
      if (!('code' in outcome)) continue;
      this.#nodes = before;
      this.events.length = events;
      for (const watch of watches) this.#watches.add(watch);
      throw new Refusal(`${outcome.code} at ${index}`);
    }
    return acts.length;
  }

  create(path: string, data: string, client: number | undefined, isSequential: boolean): string {
    const parent = this.#allowed(parentOf(path), 'create');
    const full = isSequential ? path + `${parent.creates}`.padStart(10, '0') : path;
    if (this.#nodes.has(full)) throw new Refusal('NODEEXISTS');
    if (parent.owner !== undefined) throw new Refusal('NOCHILDRENFOREPHEMERALS');
    parent.creates++;
    this.#nodes.set(full, blank(data, client, ALL));
    this.#fire('node', 'created', full, ALL);
    this.#fire('children', 'children', parentOf(full), parent.acl);
    return full;
  }

  delete(path: string, version: number): true {
    this.#allowed(parentOf(path), 'delete');
    const node = this.#node(path);
    checkVersion(node.version, version);
    if (this.#childrenOf(path).length > 0) throw new Refusal('NOTEMPTY');
    this.#remove(path);
    return true;
  }

  set(path: string, data: string, version: number): unknown {
    const node = this.#allowed(path, 'write');
    checkVersion(node.version, version);
    Object.assign(node, { data, version: node.version + 1 });
    this.#fire('node', 'changed', path, node.acl);
    return this.stat(path);
  }

  check(path: string, version: number): true {
    checkVersion(this.#allowed(path, 'read').version, version);
    return true;
  }

  setAcl(path: string, acl: readonly Permission[], version: number): unknown {
    const node = this.#allowed(path, 'admin');
    checkVersion(node.aversion, version);
    Object.assign(node, { acl, aversion: node.aversion + 1 });
    return this.stat(path);
  }

  getAcl(path: string): readonly Permission[] {
    const { acl } = this.#node(path);
    if (!acl.includes('read') && !acl.includes('admin')) throw new Refusal('NOAUTH');
    return acl;
  }

  get(path: string): unknown {
    return { data: this.#allowed(path, 'read').data, stat: this.stat(path) };
  }

  list(path: string): unknown {
    this.#allowed(path, 'read');
    return { children: this.#childrenOf(path).map(nameOf).toSorted(), stat: this.stat(path) };
  }

  exists(path: string): unknown {
    return this.#nodes.has(path) ? this.stat(path) : undefined;
  }

  stat(path: string): unknown {
    const { data, version, aversion, creates, owner } = this.#node(path);
    const numChildren = this.#childrenOf(path).length;
    const cversion = 2 * creates - numChildren;
    return { dataLength: data.length, version, aversion, cversion, owner, numChildren };
  }

  /** The look has succeeded. */
  watch(kind: WatchedKind, path: string): void {
    this.#watches.add(`${kind} ${path}`);
  }

  /** The client's session ends: its nodes go, in no order that is promised. */
  leave(client: number): void {
    for (const [path, { owner }] of this.#nodes) if (owner === client) this.#remove(path);
  }

  #remove(path: string): void {
    const { acl } = this.#node(path);
    this.#nodes.delete(path);
    this.#fire('node', 'deleted', path, acl);
    this.#fire('children', 'deleted', path, acl);
    this.#fire('children', 'children', parentOf(path), this.#node(parentOf(path)).acl);
  }

  #node(path: string): Node {
    const node = this.#nodes.get(path);
    if (node === undefined) throw new Refusal('NONODE');
    return node;
  }

  #allowed(path: string, permission: Permission): Node {
    const node = this.#node(path);
    if (!node.acl.includes(permission)) throw new Refusal('NOAUTH');
    return node;
  }

  #childrenOf(path: string): string[] {
    return [...this.#nodes.keys()].filter((each) => each !== '/' && parentOf(each) === path);
  }

  #fire(kind: WatchedKind, type: string, path: string, acl: readonly Permission[]): void {
    if (!this.#watches.delete(`${kind} ${path}`)) return;
    const event = `${kind}: ${type} ${path}`;
    this.events.push(event);
    if (!acl.includes('read')) this.hidden.add(event);
  }
}

function blank(data: string, owner: number | undefined, acl: readonly Permission[]): Node {
  return { data, version: 0, aversion: 0, creates: 0, acl, owner };
}

function checkVersion(version: number, wanted: number): void {
  if (wanted !== -1 && wanted !== version) throw new Refusal('BADVERSION');
}
