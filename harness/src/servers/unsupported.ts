/** A part of a server that the simulator does not have. It throws, because a guess would pass for the server's reply. */
export class SimUnsupportedError extends Error {
  override readonly name: string = 'SimUnsupportedError';

  /** @param server as people call it; default Redis */
  constructor(what: string, server: string = 'Redis') {
    super(`the simulated ${server} has no ${what}`);
  }
}
