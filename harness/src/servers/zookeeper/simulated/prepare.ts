import type { ReplyCode } from '@holdfast/zk/port';
import { type Identities, mayDo, storedAcl } from './acl.ts';
import type { WriteRequest } from './request.ts';
import type { ServerSession } from './session.ts';
import type { Change } from './transaction-log.ts';
import { parentOf, sequence, type Tree } from './tree.ts';

/**
 * Returns the change that a write makes to `tree`, which includes uncommitted proposals; or the code that refuses it.
 * Checks run in the order of ZooKeeper's PrepRequestProcessor.
 */
export function prepare(
  tree: Tree,
  request: WriteRequest,
  session: ServerSession,
  identities: Identities,
): Change | ReplyCode {
  if (request.kind === 'create') return create(tree, request, session, identities);
  if (request.kind === 'delete') return remove(tree, request.path, identities);
  if (request.kind === 'setData') return setData(tree, request, identities);
  return { kind: 'closeSession', session, paths: tree.ephemeralsOf(session) };
}

function create(
  tree: Tree,
  request: Extract<WriteRequest, { kind: 'create' }>,
  session: ServerSession,
  identities: Identities,
): Change | ReplyCode {
  const { data, mode } = request;
  const isSequential = mode === 'ephemeral-sequential';
  const acl = request.acl === undefined ? undefined : storedAcl(request.acl, identities);
  if (request.acl !== undefined && acl === undefined) return 'INVALIDACL';
  const parent = tree.get(parentOf(request.path));
  if (parent === undefined) return 'NONODE';
  if (!mayDo(parent.acl, identities, 'create')) return 'NOAUTH';
  const path = isSequential ? request.path + sequence(parent.creates) : request.path;
  if (tree.get(path) !== undefined) return 'NODEEXISTS';
  if (parent.owner !== undefined) return 'NOCHILDRENFOREPHEMERALS';
  const isEphemeral = isSequential || mode === 'ephemeral';
  const owner = isEphemeral ? session : undefined;
  return { kind: 'create', path, data, owner, isContainer: mode === 'container', acl };
}

function remove(tree: Tree, path: string, identities: Identities): Change | ReplyCode {
  const parent = tree.get(parentOf(path));
  if (parent === undefined) return 'NONODE';
  if (!mayDo(parent.acl, identities, 'delete')) return 'NOAUTH';
  const node = tree.get(path);
  if (node === undefined) return 'NONODE';
  return node.children.size > 0 ? 'NOTEMPTY' : { kind: 'delete', path };
}

function setData(
  tree: Tree,
  { path, data, version }: Extract<WriteRequest, { kind: 'setData' }>,
  identities: Identities,
): Change | ReplyCode {
  const node = tree.get(path);
  if (node === undefined) return 'NONODE';
  if (!mayDo(node.acl, identities, 'write')) return 'NOAUTH';
  if (version !== undefined && version !== node.version) return 'BADVERSION';
  return { kind: 'setData', path, data };
}
