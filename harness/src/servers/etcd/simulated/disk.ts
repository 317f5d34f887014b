import type { EventOwner } from '../../../sim/event-queue.ts';
import type { Program } from './program.ts';

/** After a pause the disk of a server works again so much later: until then it answers what needs no majority (etcd#15247). */
export const DISK_MS = 100;

/** The disk of a server: all that Raft does waits for it. */
export class Disk implements EventOwner {
  readonly #program: Program;
  #readyAtUs = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  get readyAtUs(): number {
    return Math.max(this.#readyAtUs, this.#program.readyAtUs);
  }

  get crashed(): boolean {
    return this.#program.crashed;
  }

  stallUntil(atUs: number): void {
    this.#readyAtUs = Math.max(this.#readyAtUs, atUs);
  }
}
