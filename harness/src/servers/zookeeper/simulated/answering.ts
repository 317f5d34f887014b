import { mayDo } from './acl.ts';
import type { ClientLink } from './client-link.ts';
import type { Answer, Read, SetWatches } from './request.ts';
import type { Tree } from './tree.ts';
import type { Watchers } from './watchers.ts';

/** What a server answers reads by. */
export interface Library {
  readonly tree: Tree;
  readonly watchers: Watchers;
  /** The latest transaction applied. */
  readonly zxid: number;
}

/** Answers by what this server has applied, which may be old. */
export function answer(library: Library, link: ClientLink, request: Read): Answer {
  const { tree, watchers, zxid } = library;
  if (request.kind === 'ping') return { zxid };
  if (request.kind === 'setWatches') {
    setWatches(library, link, request);
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
function setWatches({ tree, watchers }: Library, link: ClientLink, request: SetWatches): void {
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
