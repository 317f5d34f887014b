/** Asks a client whether it still believes that it holds. */
type Check = () => Promise<boolean>;

/**
 * Judges beside the counter: a grant while another client is inside, and both believe that they hold. A client is inside from
 * the reply to its acquisition until before its release is requested, so these spans lie within the holds. The newcomer is
 * asked, too: Verrou returns a lock whose reply came after its ttl, and then says itself that it is expired.
 */
export class Inside {
  readonly violations: string[] = [];
  readonly #inside = new Map<string, Check>();

  async entered(name: string, check: Check): Promise<void> {
    const others = [...this.#inside];
    this.#inside.set(name, check);
    for (const [other, stillHolds] of others) {
      const holds = await stillHolds().catch(() => false);
      if (!holds || this.#inside.get(other) !== stillHolds) continue;
      if (await check().catch(() => false))
        this.violations.push(`${name} was granted while ${other} held`);
    }
  }

  left(name: string): void {
    this.#inside.delete(name);
  }

  crashed(name: string): void {
    this.#inside.delete(name);
  }
}
