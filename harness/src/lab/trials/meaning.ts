import {
  type Choreography,
  type Deployment,
  type Step,
  stepsOf,
  type Who,
} from '../../simulator/index.ts';

/** What follows from the steps of a choreography for those who play it and for those who judge it. */
export interface Meaning {
  /** Places of clients that are struck themselves, or on ways that are theirs alone: what these lose they lose for a reason. */
  readonly faulted: readonly number[];
  /** Places of clients whose service is not looked at; others are healthy. */
  readonly unwatched: readonly number[];
  /** The holder is out of the way, and somebody is to take over: how soon counts. */
  readonly handsOver: boolean;
  /** Its process ends. */
  readonly holderDies: boolean;
  /** When it goes on it writes without another look at its lease. */
  readonly writesBlindly: boolean;
  /** Who waits asks once and waits for as long as it takes: asking again would make it hear what it is not told. */
  readonly isPatient: boolean;
  /** The last client opens its locks only when the fault has struck. */
  readonly hasNewcomer: boolean;
  /** Those who take over stay inside until the old holder has sent what it owes: it has to find somebody whom it harms. */
  readonly othersStay: boolean;
  /** What it struck goes on when it is over: the dead do not, nor does a clock that jumped. */
  readonly goesOn: boolean;
  /** Clocks of clients are shifted, for which it takes other processes. */
  readonly shiftsClients: boolean;
}

const PLACES: Readonly<Record<Who, number>> = { holder: 0, waiter: 1 };

export function placeOf(client: Who): number {
  return PLACES[client];
}

export function meaningOf(choreography: Choreography, deployment: Deployment): Meaning {
  const { steps } = choreography;
  const struck = strikesOf(steps);
  const has = (...names: readonly Step['do'][]): boolean =>
    steps.some((step) => names.includes(step.do));
  const ofHolder = struck.filter((step) => 'client' in step && step.client === 'holder');
  const isPatient = steps.some((step) => step.do === 'hold' && step.until === 'served');
  const isHeldUp = ofHolder.some(({ do: what }) => HOLDS_UP.has(what));
  const faulted = faultedBy(struck);
  return {
    faulted,
    unwatched: [
      ...new Set([0, ...faulted.filter((place) => isServedWorse(place, struck, deployment))]),
    ],
    handsOver: isPatient || ofHolder.some((step) => putsAway(step, deployment)),
    holderDies: ofHolder.some((step) => step.do === 'kill'),
    writesBlindly: ofHolder.some(({ do: what }) => STANDS_STILL.has(what)),
    isPatient,
    hasNewcomer: has('arrive'),
    othersStay: deployment.lock?.trustsClients === true && isHeldUp,
    goesOn: endsOf(steps).some(({ do: what }) => what !== 'jumpClock' && what !== 'jumpWall'),
    shiftsClients: stepsOf(choreography).some((step) => ['sleep', 'jumpClock'].includes(step.do)),
  };
}

const STANDS_STILL: ReadonlySet<Step['do']> = new Set(['pause', 'sleep', 'block']);
/** After which an old holder sends what it owed long ago. */
const HOLDS_UP: ReadonlySet<Step['do']> = new Set([...STANDS_STILL, 'cut', 'delay']);

/** What happens until all is held. */
export function strikesOf(steps: readonly Step[]): readonly Step[] {
  return steps.slice(0, holdIn(steps)).filter((step) => step.do !== 'await');
}

/** What ends it. */
export function endsOf(steps: readonly Step[]): readonly Step[] {
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
  return lock?.tells !== 'subscribed' || own.some((step) => step.do !== 'silence');
}

/** It does nothing any more, or does not reach those whom it would have to. */
function putsAway(step: Step, { servers, isEnsemble }: Deployment): boolean {
  if (step.do !== 'cut') return STANDS_STILL.has(step.do) || step.do === 'kill';
  const left = servers - (step.servers?.length ?? servers);
  return isEnsemble ? left === 0 : 2 * left <= servers;
}
