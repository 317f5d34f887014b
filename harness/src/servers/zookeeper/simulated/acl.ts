import type { Acl, Permission } from '@holdfast/zk/port';

/** Whom the client of one connection has proven to be. */
export type Identities = readonly string[];

/** An access list as a node keeps it: `creator` stands for whom its creator had proven to be. */
export interface NodeAcl {
  readonly entries: readonly Acl[];
  readonly creators: Identities;
}

/** The list as it is stored; undefined where it names nobody. Absent means that anybody may do anything. */
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
