import { mayDo, type NodeAcl } from './acl.ts';
import type { ClientLink } from './client-link.ts';

/** The kind of change of a watched node. */
export type WatchedChange = 'created' | 'deleted' | 'changed';

/** The watches that clients have set at one server. Each fires once; the watches of a connection end with it. */
export class Watchers {
  readonly #links = new Map<string, Set<ClientLink>>();

  /** Number of watches set. */
  get size(): number {
    let size = 0;
    for (const links of this.#links.values()) size += links.size;
    return size;
  }

  add(path: string, link: ClientLink): void {
    const links = this.#links.get(path);
    if (links === undefined) this.#links.set(path, new Set([link]));
    else links.add(link);
    link.watched.add(path);
  }

  /** A client that may not read the node is not notified, and its watch is removed (since CVE-2024-23944). */
  fire(change: WatchedChange, path: string, acl: NodeAcl | undefined): void {
    const links = this.#links.get(path);
    if (links === undefined) return;
    this.#links.delete(path);
    for (const link of links) {
      link.watched.delete(path);
      if (mayDo(acl, link.identities, 'read')) link.notify(change, path);
    }
  }

  remove(path: string, link: ClientLink): void {
    const links = this.#links.get(path);
    links?.delete(link);
    if (links?.size === 0) this.#links.delete(path);
    link.watched.delete(path);
  }

  removeAll(link: ClientLink): void {
    for (const path of link.watched) this.remove(path, link);
  }
}
