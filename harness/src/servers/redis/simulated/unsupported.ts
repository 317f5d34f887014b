/** Part of Redis that the simulator leaves out. Loud, because a guess would be taken for the server's answer. */
export class SimUnsupportedError extends Error {
  override readonly name = 'SimUnsupportedError';

  constructor(what: string) {
    super(`the simulated Redis has no ${what}`);
  }
}
