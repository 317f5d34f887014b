import { RequestError } from './errors.ts';
import type { Reader, Writer } from './jute.ts';

const BITS = { read: 1, write: 2, create: 4, delete: 8, admin: 16 } as const;

/** What an identity may do with a node; `create` and `delete` are about its children, `admin` about its ACL. */
export type Permission = keyof typeof BITS;

/** The permissions of one identity on a node. `delete` and `create` are about its children. */
export interface Acl {
  /** `world`, `auth`, `digest`, `ip`, `x509`, … */
  readonly scheme: string;
  /** `anyone` for `world`; empty for `auth`. */
  readonly id: string;
  /** What this identity may do. */
  readonly permissions: readonly Permission[];
}

const ALL: readonly Permission[] = ['read', 'write', 'create', 'delete', 'admin'];

/** Every client may do anything. */
export const openAcl: readonly Acl[] = [{ scheme: 'world', id: 'anyone', permissions: ALL }];

/** Every identity that the session has proven may do anything, all others nothing. Needs `addAuth`, or `auth` on opening. */
export const creatorAcl: readonly Acl[] = [{ scheme: 'auth', id: '', permissions: ALL }];

export function writeAcl(acl: Acl, writer: Writer): void {
  writer.int(bitsOf(acl.permissions)).string(acl.scheme).string(acl.id);
}

export function readAcl(reader: Reader): Acl {
  const bits = reader.int();
  return { permissions: permissionsOf(bits), scheme: reader.string(), id: reader.string() };
}

function bitsOf(permissions: readonly Permission[]): number {
  let bits = 0;
  for (const permission of permissions) {
    const bit: number | undefined = BITS[permission];
    if (bit === undefined) {
      throw new RequestError(
        'BAD_ARGUMENT',
        `unknown permission '${permission}'; use read, write, create, delete or admin`,
      );
    }
    bits |= bit;
  }
  return bits;
}

function permissionsOf(bits: number): readonly Permission[] {
  return ALL.filter((permission) => (bits & BITS[permission]) !== 0);
}
