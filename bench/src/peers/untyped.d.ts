// Neither release of redlock has types that resolve; these are the parts that the benchmark uses.

declare module 'redlock-4' {
  interface Lock {
    unlock(): Promise<void>;
  }
  class Redlock {
    constructor(clients: readonly object[], options: { retryCount: number });
    lock(resource: string, ttlMs: number): Promise<Lock>;
  }
  export default Redlock;
}

declare module 'redlock-5' {
  interface Lock {
    release(): Promise<unknown>;
  }
  class Redlock {
    constructor(clients: readonly object[], settings: { retryCount: number });
    acquire(resources: readonly string[], durationMs: number): Promise<Lock>;
  }
  export default Redlock;
}
