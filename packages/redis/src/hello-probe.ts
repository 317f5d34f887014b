import type { OutgoingCommand } from './link.ts';

/**
 * The first command on a connection. HELLO without arguments changes nothing, and it is among the few that every user
 * may send, however little else is permitted; an error shows too that the server lives.
 */
export class HelloProbe implements OutgoingCommand {
  readonly args: readonly string[] = ['HELLO'];
  readonly isUndo = false;
  readonly isSent = true;
  readonly #returned: (refusal?: string) => void;

  /** `returned` is called with the error line, if it was one. */
  constructor(returned: (refusal?: string) => void) {
    this.#returned = returned;
  }

  markSent(): boolean {
    return true;
  }

  answered(): void {
    this.#returned();
  }

  refused(text: string): void {
    this.#returned(text);
  }

  /** The link ends then, and reports that itself. */
  notSent(): void {}
}
