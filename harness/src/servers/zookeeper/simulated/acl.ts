import type { Acl, Permission } from '@holdfast/zk/port';

/** The identities that the client of one connection has proven. */
export type Identities = readonly string[];

/** An access list as a node stores it: `creator` means the identities that its creator had proven. */
export interface NodeAcl {
  readonly entries: readonly Acl[];
  readonly creators: Identities;
}

/**
 * Returns the list as it is stored; undefined if it names no one. A node without a list allows everything to all
 * clients.
 */
export function storedAcl(entries: readonly Acl[], creators: Identities): NodeAcl | undefined {
  const isEmpty = entries.length === 0;
  const isNobody = creators.length === 0 && entries.some(({ who }) => who === 'creator');
  return isEmpty || isNobody ? undefined : { entries, creators };
}

export function mayDo(
  acl: NodeAcl | undefined,
  identities: Identities,
  permission: Permission,
): boolean {
  if (acl === undefined) return true;
  return acl.entries.some(
    ({ who, may }) =>
      may.includes(permission) &&
      (who === 'anybody' || acl.creators.some((creator) => identities.includes(creator))),
  );
}
