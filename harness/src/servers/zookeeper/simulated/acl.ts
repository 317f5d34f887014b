import type { Acl, Permission } from '@holdfast/zk/port';
import type { ServerSession } from './session.ts';

/** An access list as a node keeps it: `creator` stands for whom its creator had proven to be. */
export interface NodeAcl {
  readonly entries: readonly Acl[];
  readonly creator: string | undefined;
}

/** The list as it is stored; undefined where it names nobody. Absent means that anybody may do anything. */
export function storedAcl(
  entries: readonly Acl[],
  { identity }: ServerSession,
): NodeAcl | undefined {
  const isEmpty = entries.length === 0;
  const isNobody = identity === undefined && entries.some(({ who }) => who === 'creator');
  return isEmpty || isNobody ? undefined : { entries, creator: identity };
}

export function mayDo(
  acl: NodeAcl | undefined,
  session: ServerSession,
  permission: Permission,
): boolean {
  if (acl === undefined) return true;
  return acl.entries.some(
    ({ who, may }) =>
      may.includes(permission) &&
      (who === 'anybody' || (acl.creator !== undefined && acl.creator === session.identity)),
  );
}
