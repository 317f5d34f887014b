import type { Choreography, ClientTarget, Deployment, Step } from '../../sim/schedule/real.ts';

/** As far as clocks jump: any lock is over by then. */
const JUMP_TTLS = 10;
/** Below a tenth of a ttl for a call there and back, which is what a call may take. */
const DELAY_TTLS = 1 / 40;

export const OVER: Step = { do: 'hold', until: 'over' };
export const TAKEOVER: Step = { do: 'hold', until: 'takeover' };
/** It is about what is stored: its holder is to notice late. */
export const RENEWED: Step = { do: 'await', moment: 'renewal' };

export function farMs({ ttlMs }: Deployment): number {
  return JUMP_TTLS * ttlMs;
}

export function bearableMs({ ttlMs }: Deployment): number {
  return Math.floor(ttlMs * DELAY_TTLS);
}

export function majorityIn({ servers }: Deployment): number {
  return Math.floor(servers / 2) + 1;
}

/** Several that know nothing of each other. */
export function areIndependent({ servers, isEnsemble }: Deployment): boolean {
  return servers > 1 && !isEnsemble;
}

export function first(count: number): readonly number[] {
  return Array.from({ length: count }, (_, place) => place);
}

const WORDS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

export function word(count: number): string {
  return WORDS[count] ?? `${count}`;
}

/** `two of the five` */
export function some(count: number, { servers }: Deployment): string {
  return `${word(count)} of the ${word(servers)}`;
}

/** A process is held up for longer than its ttl, and then goes on. */
export function heldUp(
  told: string,
  how: 'pause' | 'sleep' | 'block',
  client: ClientTarget,
): Choreography {
  return { told, steps: [{ do: how, client }, OVER, { do: 'resume', client }] };
}

/**
 * Kleppmann's scene (https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html): the holder has won the
 * votes of a bare majority, because the others are out of its reach; when one of the majority forgets, that one and the
 * others are a majority.
 */
export function toOneOfABareMajority(
  deployment: Deployment,
  told: string,
  stepsOn: (servers: readonly number[]) => Pick<Choreography, 'before' | 'steps'>,
): Choreography {
  const majority = majorityIn(deployment);
  const unreached = first(deployment.servers).slice(majority);
  const { before = [], steps } = stepsOn([majority - 1]);
  return {
    told: `the holder reaches ${some(majority, deployment)}, and one of these ${told}`,
    before: [...before, { do: 'cut', client: 'holder', servers: unreached }],
    steps: [RENEWED, ...steps, TAKEOVER],
  };
}
