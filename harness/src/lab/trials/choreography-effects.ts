import {
  type Choreography,
  type ClientTarget,
  type Deployment,
  type Step,
  stepsOf,
} from '../../simulator/index.ts';

/** What follows from the steps of a choreography for those who play it and for those who judge it. */
export interface ChoreographyEffects {
  /** Places of clients that are struck themselves, or on ways that are theirs alone: what these lose they lose for a reason. */
  readonly faulted: readonly number[];
  /** Places of clients whose service is not looked at; others are healthy. */
  readonly unwatched: readonly number[];
  /** The holder is out of the way, and somebody is to take over: how soon counts. */
  readonly expectsHandover: boolean;
  /** Its process ends. */
  readonly holderDies: boolean;
  /** When it goes on it writes without another look at its lease. */
  readonly writesUnchecked: boolean;
  /** Who waits asks once and waits for as long as it takes: asking again would make it hear what it is not told. */
  readonly isPatient: boolean;
  /** The last client opens its locks only when the fault has struck. */
  readonly hasNewcomer: boolean;
  /** Those who take over stay inside until the old holder has sent what it owes: it has to find somebody whom it harms. */
  readonly othersStay: boolean;
  /** What it struck goes on when it is over: the dead do not, nor does a clock that jumped. */
  readonly recovers: boolean;
  /** Clocks of clients are shifted, for which it takes other processes. */
  readonly shiftsClients: boolean;
}

const PLACES: Readonly<Record<ClientTarget, number>> = { holder: 0, waiter: 1 };

export function placeOf(client: ClientTarget): number {
  return PLACES[client];
}

export function effectsOf(choreography: Choreography, deployment: Deployment): ChoreographyEffects {
  const { steps } = choreography;
  const struck = injectionSteps(steps);
  const has = (...names: readonly Step['do'][]): boolean =>
    steps.some((step) => names.includes(step.do));
  const ofHolder = struck.filter((step) => 'client' in step && step.client === 'holder');
  const isPatient = steps.some((step) => step.do === 'hold' && step.until === 'served');
  const isHeldUp = ofHolder.some(({ do: what }) => DELAYS_HOLDER.has(what));
  const faulted = faultedBy(struck);
  return {
    faulted,
    unwatched: [
      ...new Set([0, ...faulted.filter((place) => isServedWorse(place, struck, deployment))]),
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
/** After which an old holder sends what it owed long ago. */
const DELAYS_HOLDER: ReadonlySet<Step['do']> = new Set([...PAUSES, 'cut', 'delay']);

/** What happens until all is held. */
export function injectionSteps(steps: readonly Step[]): readonly Step[] {
  return steps.slice(0, holdIn(steps)).filter((step) => step.do !== 'await');
}

/** What ends it. */
export function recoverySteps(steps: readonly Step[]): readonly Step[] {
  return steps.slice(holdIn(steps) + 1);
}

function holdIn(steps: readonly Step[]): number {
  const at = steps.findIndex((step) => step.do === 'hold');
  if (at === -1) throw new Error('a choreography without a step hold has no end');
  return at;
}

function faultedBy(struck: readonly Step[]): readonly number[] {
  const places = struck.flatMap((step) =>
    'client' in step && step.client !== undefined ? [placeOf(step.client)] : [],
  );
  return [...new Set(places)];
}

/** A subscription has a connection of its own: what else such a client asks for is answered. */
function isServedWorse(place: number, struck: readonly Step[], { lock }: Deployment): boolean {
  const own = struck.filter(
    (step) => 'client' in step && step.client !== undefined && placeOf(step.client) === place,
  );
  return lock?.notifiedOn !== 'subscribed' || own.some((step) => step.do !== 'silence');
}

/** It does nothing any more, or does not reach those whom it would have to. */
function disables(step: Step, { servers, isEnsemble }: Deployment): boolean {
  if (step.do !== 'cut') return PAUSES.has(step.do) || step.do === 'kill';
  const left = servers - (step.servers?.length ?? servers);
  return isEnsemble ? left === 0 : 2 * left <= servers;
}
