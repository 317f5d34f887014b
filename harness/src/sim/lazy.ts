/**
 * A module that is loaded before the first run that needs it, and not within one, where only virtual time passes. So a
 * page loads the servers and locks that its reader chose.
 */
export class Lazy<M extends object> {
  readonly #import: () => Promise<M>;
  #module: M | undefined;

  constructor(load: () => Promise<M>) {
    this.#import = load;
  }

  /** @throws Error unless it was loaded */
  get module(): M {
    if (this.#module === undefined) throw new Error('a run began before its lock was loaded');
    return this.#module;
  }

  async load(): Promise<void> {
    this.#module ??= await this.#import();
  }
}
