import { settled, VirtualRuntime } from './virtual-runtime.ts';

/** Virtual time that passes with the turns of the event loop, 1 ms for each: no code is late, however busy the machine is. */
export class FlowingRuntime extends VirtualRuntime {
  #ids = 0;
  #isFlowing = false;

  override randomId(): string {
    this.#ids += 1;
    return `id-${this.#ids}`;
  }

  override random(): number {
    return Math.random();
  }

  get nowMs(): number {
    return this.now().monotonicMs;
  }

  /** Lets time pass until `stop`. */
  start(): void {
    this.#isFlowing = true;
    void this.#flow();
  }

  stop(): void {
    this.#isFlowing = false;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resume) => void this.timer(ms, resume));
  }

  /** @throws Error if it does not happen within a minute of virtual time */
  async until(happened: () => boolean): Promise<void> {
    const endMs = this.nowMs + 60_000;
    while (!happened()) {
      if (this.nowMs > endMs) throw new Error(`it did not happen: ${String(happened)}`);
      await settled();
    }
  }

  async #flow(): Promise<void> {
    while (this.#isFlowing) await this.pass(1);
  }
}
