import {
  type Choreography,
  type ClientTarget,
  type Deployment,
  type Step,
  stepsOf,
} from '../../simulator/index.ts';

/** The consequences of a choreography's steps, for running it and for judging it. */
export interface ChoreographyEffects {
  /** Indexes of clients that the fault hits, directly or on their own links: what they lose is lost for a reason. */
  readonly faulted: readonly number[];
  /** Indexes of clients whose writes are held back on their way to the resource. */
  readonly heldBack: readonly number[];
  /** Indexes of clients whose availability is not measured; the others are healthy. */
  readonly unwatched: readonly number[];
  /** The holder is gone, and another client is to take over: the handover time counts. */
  readonly expectsHandover: boolean;
  /** The holder's process ends. */
  readonly holderDies: boolean;
  /** The resumed holder writes without checking its lease again. */
  readonly writesUnchecked: boolean;
  /**
   * A waiter requests once and waits as long as it takes: another request would tell it what the lost notification did
   * not.
   */
  readonly isPatient: boolean;
  /** The last client opens its locks only after the fault was injected. */
  readonly hasNewcomer: boolean;
  /**
   * The clients that take over stay inside until the old holder has sent its late requests, which can harm only a
   * holder.
   */
  readonly othersStay: boolean;
  /** The affected parts recover when the fault is over: killed processes do not, nor does a clock that jumped. */
  readonly recovers: boolean;
  /** Clocks of clients are shifted, which needs other client processes. */
  readonly shiftsClients: boolean;
}

const PLACES: Readonly<Record<ClientTarget, number>> = { holder: 0, waiter: 1 };

export function placeOf(client: ClientTarget): number {
  return PLACES[client];
}

export function effectsOf(choreography: Choreography, deployment: Deployment): ChoreographyEffects {
  const { steps } = choreography;
  const injected = injectionSteps(steps);
  const has = (...names: readonly Step['do'][]): boolean =>
    steps.some((step) => names.includes(step.do));
  const ofHolder = injected.filter((step) => 'client' in step && step.client === 'holder');
  const isPatient = steps.some((step) => step.do === 'hold' && step.until === 'served');
  const isHeldUp = ofHolder.some(({ do: what }) => DELAYS_HOLDER.has(what));
  const faulted = faultedBy(injected);
  return {
    faulted,
    heldBack: faultedBy(injected.filter((step) => step.do === 'holdWrites')),
    unwatched: [
      ...new Set([0, ...faulted.filter((place) => isServedWorse(place, injected, deployment))]),
    ],
    expectsHandover: isPatient || ofHolder.some((step) => disables(step, deployment)),
    holderDies: ofHolder.some((step) => step.do === 'kill'),
    writesUnchecked: ofHolder.some(({ do: what }) => PAUSES.has(what)),
    isPatient,
    hasNewcomer: has('arrive'),
    othersStay: deployment.lock?.trustsClientClocks === true && isHeldUp,
    recovers: recoverySteps(steps).some(
      ({ do: what }) => what !== 'jumpClock' && what !== 'jumpWall',
    ),
    shiftsClients: stepsOf(choreography).some((step) => ['sleep', 'jumpClock'].includes(step.do)),
  };
}

const PAUSES: ReadonlySet<Step['do']> = new Set(['pause', 'sleep', 'block']);
/** After these the old holder sends late requests. */
const DELAYS_HOLDER: ReadonlySet<Step['do']> = new Set([...PAUSES, 'cut', 'delay']);

/** The steps up to `hold`: they inject the fault. */
export function injectionSteps(steps: readonly Step[]): readonly Step[] {
  return steps.slice(0, holdIn(steps)).filter((step) => step.do !== 'await');
}

/** The steps after `hold`: they end the fault. */
export function recoverySteps(steps: readonly Step[]): readonly Step[] {
  return steps.slice(holdIn(steps) + 1);
}

function holdIn(steps: readonly Step[]): number {
  const at = steps.findIndex((step) => step.do === 'hold');
  if (at === -1) throw new Error('a choreography needs a step hold');
  return at;
}

function faultedBy(injected: readonly Step[]): readonly number[] {
  const places = injected.flatMap((step) =>
    'client' in step && step.client !== undefined ? [placeOf(step.client)] : [],
  );
  return [...new Set(places)];
}

/**
 * True if the client is served worse. A subscription has its own connection: if only that is silent, other requests get
 * replies.
 */
function isServedWorse(place: number, injected: readonly Step[], { lock }: Deployment): boolean {
  const own = injected.filter(
    (step) => 'client' in step && step.client !== undefined && placeOf(step.client) === place,
  );
  return lock?.notifiedOn !== 'subscribed' || own.some((step) => step.do !== 'silence');
}

/** True if the holder stops working, or does not reach the servers that it needs. */
function disables(step: Step, { servers, isEnsemble }: Deployment): boolean {
  if (step.do !== 'cut') return PAUSES.has(step.do) || step.do === 'kill';
  const left = servers - (step.servers?.length ?? servers);
  return isEnsemble ? left === 0 : 2 * left <= servers;
}
