import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';

/** A user that servers run as, because they refuse to run as root. */
export interface ServerUser {
  /** The command that changes to this user, put before the server's own. */
  readonly through: readonly string[];
  /** Makes this user the owner of a folder. */
  own(folder: string): void;
}

const SAME_USER: ServerUser = { through: [], own: () => undefined };

/** Returns the present user, or, for root, the user `postgres` of Debian's package, else `nobody`. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return SAME_USER;
  const [uid, gid] = ['postgres', 'nobody'].map(idsOf).find((ids) => ids !== undefined) ?? [];
  if (uid === undefined || gid === undefined) return SAME_USER;
  return {
    through: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
    own: (folder) => chownSync(folder, uid, gid),
  };
}

function idsOf(user: string): readonly [number, number] | undefined {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, user], { encoding: 'utf8', stdio: 'pipe' })),
    );
    return uid === undefined || gid === undefined ? undefined : [uid, gid];
  } catch {
    return undefined;
  }
}
