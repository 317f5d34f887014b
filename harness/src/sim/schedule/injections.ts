import type { FaultId } from '@holdfast/core/backend';

/** One injection of a fault: for drawings, and to know whether it mattered. */
export interface Injection {
  readonly kind: FaultId;
  /** Position in the schedule's list of faults. */
  readonly fault: number;
  /** Names of the affected clients or servers. */
  readonly actors: readonly string[];
  readonly atMs: number;
  readonly untilMs: number;
  /** True if it began, or lasted, while one client held and another waited. */
  readonly effective: boolean;
}

/** Returns true if the fault can matter at this moment. */
export type IsRelevant = () => boolean;

/** An injection whose effect may still show. */
type LoggedInjection = Omit<Injection, 'effective'> & { effective: boolean };

interface OpenInjection {
  readonly injection: LoggedInjection;
  readonly isRelevant: IsRelevant;
}

/** Records injections, and watches each for as long as it lasts. */
export class InjectionLog {
  readonly #nowMs: () => number;
  readonly #all: LoggedInjection[] = [];
  #open: OpenInjection[] = [];

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get all(): readonly Injection[] {
    return this.#all;
  }

  get effective(): boolean {
    return this.#all.some((injection) => injection.effective);
  }

  /** Records an injection that lasts for `ms`. */
  add(
    { kind, fault, actors }: Pick<Injection, 'kind' | 'fault' | 'actors'>,
    ms: number,
    isRelevant: IsRelevant,
  ): void {
    const atMs = this.#nowMs();
    const injection = { kind, fault, actors, atMs, untilMs: atMs + ms, effective: false };
    this.#all.push(injection);
    this.#open.push({ injection, isRelevant });
    this.update();
  }

  /** Called whenever a client begins or ends to wait or to hold. */
  update(): void {
    if (this.#open.length === 0) return;
    const nowMs = this.#nowMs();
    this.#open = this.#open.filter(({ injection, isRelevant }) => {
      if (injection.untilMs < nowMs) return false;
      if (!isRelevant()) return true;
      injection.effective = true;
      return false;
    });
  }
}
