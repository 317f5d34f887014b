/** The parts that are used here: the types that it ships cannot be resolved (mike-marcacci/node-redlock#173). */
declare module 'redlock-5' {
  interface Script {
    readonly value: string;
  }

  export interface Lock {
    readonly expiration: number;
    release(): Promise<unknown>;
  }

  export default class Redlock {
    readonly scripts: Readonly<Record<'acquireScript' | 'extendScript' | 'releaseScript', Script>>;
    constructor(clients: Iterable<unknown>, settings?: Readonly<Record<string, number>>);
    acquire(resources: string[], ttlMs: number): Promise<Lock>;
    using(
      resources: string[],
      ttlMs: number,
      routine: (signal: AbortSignal) => Promise<void>,
    ): Promise<void>;
  }
}
