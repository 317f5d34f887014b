import type { FaultId } from '@holdfast/core';

/** One blow of a fault: for drawings, and to know whether it mattered. */
export interface Strike {
  readonly kind: FaultId;
  /** Position in the schedule's list of faults. */
  readonly fault: number;
  /** Whom it struck, by name. */
  readonly actors: readonly string[];
  readonly atMs: number;
  readonly untilMs: number;
  /** Whether it struck, or lasted, while one client held and another waited. */
  readonly effective: boolean;
}

/** Whether what the fault needs in order to matter is there at this moment. */
export type Matters = () => boolean;

interface Open {
  readonly strike: Strike;
  readonly matters: Matters;
}

/** Writes down what faults did, and watches each for as long as it lasts. */
export class Strikes {
  readonly #nowMs: () => number;
  readonly #all: Strike[] = [];
  #open: Open[] = [];

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get all(): readonly Strike[] {
    return this.#all;
  }

  get effective(): boolean {
    return this.#all.some((strike) => strike.effective);
  }

  /** A fault strikes, and lasts for `ms`. */
  add(blow: Pick<Strike, 'kind' | 'fault' | 'actors'>, ms: number, matters: Matters): void {
    const atMs = this.#nowMs();
    const strike = { ...blow, atMs, untilMs: atMs + ms, effective: false };
    this.#all.push(strike);
    this.#open.push({ strike, matters });
    this.look();
  }

  /** Called whenever somebody begins or ends to wait or to hold. */
  look(): void {
    if (this.#open.length === 0) return;
    const nowMs = this.#nowMs();
    this.#open = this.#open.filter(({ strike, matters }) => {
      if (strike.untilMs < nowMs) return false;
      if (!matters()) return true;
      const at = this.#all.indexOf(strike);
      this.#all[at] = { ...strike, effective: true };
      return false;
    });
  }
}
