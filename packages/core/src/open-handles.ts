/** The handles on one hold, once there are several of them: it is released when the last handle is. */
export class OpenHandles {
  /** Weak: a handle that is dropped must be noticed. */
  readonly #open = new WeakSet<object>();
  #count = 0;

  constructor(first: object) {
    this.add(first);
  }

  /** The number of handles that have not been released. */
  get count(): number {
    return this.#count;
  }

  add(handle: object): void {
    this.#open.add(handle);
    this.#count += 1;
  }

  has(handle: object): boolean {
    return this.#open.has(handle);
  }

  /** Ends one handle, once. */
  close(handle: object): void {
    if (this.#open.delete(handle)) this.#count -= 1;
  }
}
