/** A process has ended without which nothing can be played any more, and nobody of the laboratory ended it. */
export class UnexpectedExit extends Error {
  override readonly name = 'Breakdown';

  constructor(whose: string) {
    super(`the process of ${whose} has ended: somebody killed it, or it had no memory left`);
  }
}
