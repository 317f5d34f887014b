import { parseDescription } from '../describe.ts';
import type { Link, OutgoingCommand } from '../link.ts';
import type { Reply } from '../port.ts';

/**
 * Asks the server of a link for its role: by HELLO, which every user may send, or by ROLE if a proxy does not know HELLO. If
 * it refuses both, the role stays unknown.
 */
export function askRole(link: Link, replied: (role: string | undefined) => void): void {
  const byRole = (): void =>
    link.send(
      new RoleProbe(
        ['ROLE'],
        (reply) => replied(Array.isArray(reply) ? String(reply[0]) : undefined),
        () => replied(undefined),
      ),
    );
  link.send(new RoleProbe(['HELLO'], (reply) => replied(roleIn(reply)), byRole));
}

function roleIn(reply: Reply): string | undefined {
  return Array.isArray(reply) ? parseDescription(reply, '').role : undefined;
}

/** A command of a connection that is not used yet. */
class RoleProbe implements OutgoingCommand {
  readonly args: readonly string[];
  readonly isUndo = false;
  readonly isSent = true;
  readonly #answered: (reply: Reply) => void;
  readonly #refused: () => void;

  constructor(args: readonly string[], answered: (reply: Reply) => void, refused: () => void) {
    this.args = args;
    this.#answered = answered;
    this.#refused = refused;
  }

  markSent(): boolean {
    return true;
  }

  answered(reply: Reply): void {
    this.#answered(reply);
  }

  refused(): void {
    this.#refused();
  }

  /** The link then ends, and reports that itself. */
  notSent(): void {}
}
