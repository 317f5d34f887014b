/** The parts that are used here: it ships no types. */
declare module 'redlock-4' {
  export interface Lock {
    unlock(): Promise<unknown>;
    extend(ttlMs: number): Promise<Lock>;
  }

  export default class Redlock {
    constructor(clients: Iterable<unknown>, settings?: Readonly<Record<string, number>>);
    lock(resource: string, ttlMs: number): Promise<Lock>;
  }
}
