import type { FaultId } from '@holdfast/core/backend';
import type fc from 'fast-check';
import type { Circumstances } from './arbitrary-parts.ts';
import type { FaultFields } from './fields.ts';
import type { Choreography, Deployment, Unplayable } from './real.ts';
import type { Run } from './run.ts';
import type { Fault, Schedule } from './schedule.ts';

/** The definition of one fault: its meaning, its fields in a schedule, its generator, its effect. */
export interface FaultUnderTest<Element extends Fault = Fault> {
  readonly id: FaultId;
  /** The fault in words, for legends. */
  readonly meaning: string;
  /** The reason for the harm: a clause that is true in any minimal story with this fault. */
  readonly reason: string;
  /** The fields of an element besides its kind. */
  readonly fields: FaultFields;
  /** Its variations: words by which a row of the matrix, or a search, requests unusual schedules. */
  readonly varies?: readonly string[];
  /** Set if it takes the service away from all clients: charts of availability show it. */
  readonly takesServiceAway?: true;
  /** Set if it has no times of its own, so that leases may be longer. */
  readonly isTimeless?: true;
  /** A part of the setup without which it cannot happen. */
  readonly needs?: 'servers' | 'replicas';
  /** Changes to the schedules that contain it. */
  readonly generation?: GenerationOptions;
  /** Set if a client is paused while it holds, and resumes. */
  readonly pausesClients?: true;
  /** Set if messages arrive late, and none is lost. */
  readonly onlyDelays?: true;
  /**
   * Set if a subscription that has gone silent stays silent: a client cannot distinguish it from one without
   * messages.
   */
  readonly silences?: true;
  /** Set if its end is not worth a line in a drawing. */
  readonly isSudden?: true;
  generate(circumstances: Circumstances): fc.Arbitrary<Element>;
  /** Generates schedules with this and one other fault, if the two together are drawn in a way of their own. */
  generateBeside?(
    schedules: fc.Arbitrary<Schedule>,
    other: FaultUnderTest,
    circumstances: Circumstances,
  ): fc.Arbitrary<Schedule>;
  /** Generates the schedules of a variation, if they are drawn in a way of their own. */
  generatedAs?(variation: string, nodes: number): fc.Arbitrary<Schedule> | undefined;
  /** Arranges its injection when its time comes. Targets that do not exist are ignored. */
  arm(run: Run, element: Element, index: number): void;
  /** Describes its effect without a subject, in words that fit one target and several. */
  text(element: Element, servers: Servers): string;
  /** Returns by how much wall clocks jump. */
  jumpMs?(element: Element): number;
  /** Returns false if the element has become harm of another kind, which a smaller story must avoid. */
  staysAway?(element: Element, ttlMs: number): boolean;
  /** Returns the choreographies on real servers, which take turns, or the reason why there are none. */
  real(deployment: Deployment): readonly Choreography[] | Unplayable;
  /** Returns true if it is one of the faults that show most about such a lock; a quick evaluation plays these. */
  isMostTelling?(deployment: Deployment): boolean;
}

/** The relation between the servers of a lock. */
export interface Servers {
  /** True for one leader and its followers; otherwise masters with their replicas, independent of each other. */
  readonly isEnsemble: boolean;
}

/** Differences of schedules with a fault from others. */
export interface GenerationOptions {
  /** Set if leases that are not renewed are held to the end: there wrong clock rates show. */
  readonly holdsToTheEnd?: true;
  /** Most faults of a schedule with this fault alone; 2 by default. */
  readonly faultsMax?: number;
  /** In how many of six schedules followers lag; 2 by default. */
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

  /** @throws RangeError for an unknown fault */
  get(id: FaultId): FaultUnderTest {
    const fault = this.find(id);
    if (fault === undefined)
      throw new RangeError(`unknown fault "${id}"; use one of ${this.ids.join(', ')}`);
    return fault;
  }

  /** Returns the faults of a schedule, or of a search; `none` is no fault. */
  select(ids: readonly FaultId[]): readonly FaultUnderTest[] {
    return ids.filter((id) => id !== NONE).map((id) => this.get(id));
  }
}

/** Contention only. */
export const NONE: FaultId = 'none';
