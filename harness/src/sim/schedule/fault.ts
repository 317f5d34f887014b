import type { FaultId } from '@holdfast/core';
import type fc from 'fast-check';
import type { Circumstances } from './arbitrary-parts.ts';
import type { Fields } from './fields.ts';
import type { Choreography, Deployment, Unplayable } from './real.ts';
import type { Run } from './run.ts';
import type { Fault, Schedule } from './schedule.ts';

/** All that there is to know of one fault: what it is, what a schedule says of it, how it is drawn, what it does. */
export interface FaultUnderTest<Element extends Fault = Fault> {
  readonly id: FaultId;
  /** What happens, for legends. */
  readonly meaning: string;
  /** Why it does harm: a clause that is true wherever it is part of a minimal story. */
  readonly reason: string;
  /** What an element says besides its kind. */
  readonly fields: Fields;
  /** Its variations: each a word by which a row of the matrix, or a search, asks for schedules that depart from the usual. */
  readonly varies?: readonly string[];
  /** It takes the service away from all clients: charts of availability show it. */
  readonly takesServiceAway?: true;
  /** It has no times of its own, so that leases may be longer. */
  readonly isTimeless?: true;
  /** Without which it cannot happen. */
  readonly needs?: 'servers' | 'replicas';
  /** What schedules look like besides, where this is among their faults. */
  readonly generation?: GenerationOptions;
  /** A client stands still while it holds, and goes on. */
  readonly pausesClients?: true;
  /** Messages arrive late, and nothing is lost. */
  readonly onlyDelays?: true;
  /** A subscription that has gone silent stays so: nothing tells a client from one to which nothing happens. */
  readonly silences?: true;
  /** What it did has no end that would be worth telling. */
  readonly isSudden?: true;
  generate(circumstances: Circumstances): fc.Arbitrary<Element>;
  /** Schedules with this and one other fault, where the two together are drawn in a way of their own. */
  generateBeside?(
    schedules: fc.Arbitrary<Schedule>,
    other: FaultUnderTest,
    circumstances: Circumstances,
  ): fc.Arbitrary<Schedule>;
  /** Schedules of a variation that are drawn in a way of their own. */
  generatedAs?(variation: string, nodes: number): fc.Arbitrary<Schedule> | undefined;
  /** Has it strike when its time comes. What it names and is not there is left alone. */
  arm(run: Run, element: Element, index: number): void;
  /** What it did to whom it struck, without a subject; for one and for several alike. */
  text(element: Element, servers: Servers): string;
  /** By how much wall clocks jump. */
  jumpMs?(element: Element): number;
  /** Whether a smaller story has to keep away from what is harm of another kind. */
  staysAway?(element: Element, ttlMs: number): boolean;
  /** How it is played on real servers: its ways, which take turns, or why it cannot be. */
  real(deployment: Deployment): readonly Choreography[] | Unplayable;
  /** Whether it is among the faults that tell most of such a lock, which a quick evaluation plays. */
  isMostTelling?(deployment: Deployment): boolean;
}

/** What the servers of a lock are to each other. */
export interface Servers {
  /** One leader and its followers; otherwise masters with their replicas, which know nothing of each other. */
  readonly isEnsemble: boolean;
}

/** Where schedules with a fault depart from others. */
export interface GenerationOptions {
  /** Clocks that run wrong show at the very end of a lease that nobody renews. */
  readonly holdsToTheEnd?: true;
  /** How many faults, at most, where there are none but this; 2 by default. */
  readonly faultsMax?: number;
  /** In how many of six followers lag; in 2 by default. */
  readonly laggingInSix?: number;
}

/** The faults that a simulator knows, in the order in which they are shown. */
export class FaultRegistry {
  readonly all: readonly FaultUnderTest[];
  readonly #byId: ReadonlyMap<FaultId, FaultUnderTest>;

  constructor(all: readonly FaultUnderTest[]) {
    this.all = all;
    this.#byId = new Map(all.map((fault) => [fault.id, fault]));
  }

  get ids(): readonly FaultId[] {
    return this.all.map(({ id }) => id);
  }

  find(id: FaultId): FaultUnderTest | undefined {
    return this.#byId.get(id);
  }

  /** @throws RangeError for one that is not in it */
  get(id: FaultId): FaultUnderTest {
    const fault = this.find(id);
    if (fault === undefined) throw new RangeError(`${id} is no fault that is known here`);
    return fault;
  }

  /** Those of a schedule, or of a search; `none` is no fault. */
  select(ids: readonly FaultId[]): readonly FaultUnderTest[] {
    return ids.filter((id) => id !== NONE).map((id) => this.get(id));
  }
}

/** Contention only. */
export const NONE: FaultId = 'none';
