import type { Choreography, ClientTarget, Deployment, Step } from '../../sim/schedule/real.ts';

/** Size of clock jumps, in ttls: any lock has expired by then. */
const JUMP_TTLS = 10;
/** In ttls: a call there and back stays below a tenth of the ttl, which is its deadline. */
const DELAY_TTLS = 1 / 40;

export const OVER: Step = { do: 'hold', until: 'over' };
export const TAKEOVER: Step = { do: 'hold', until: 'takeover' };
/** For faults that change stored data: the holder has just renewed, so it notices late. */
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

/** True for several servers that know nothing of each other. */
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

/** Pauses a process for longer than its ttl, then resumes it. */
export function pausedPastTtl(
  description: string,
  how: 'pause' | 'sleep' | 'block',
  client: ClientTarget,
): Choreography {
  return { description, steps: [{ do: how, client }, OVER, { do: 'resume', client }] };
}

/**
 * Kleppmann's example (https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html): the holder has the
 * votes of a bare majority, because it cannot reach the other servers. If one server of the majority loses its data,
 * that one and the others are a majority.
 */
export function toOneOfABareMajority(
  deployment: Deployment,
  description: string,
  stepsOn: (servers: readonly number[]) => Pick<Choreography, 'before' | 'steps'>,
): Choreography {
  const majority = majorityIn(deployment);
  const unreached = first(deployment.servers).slice(majority);
  const { before = [], steps } = stepsOn([majority - 1]);
  return {
    description: `the holder reaches ${some(majority, deployment)}, and one of these ${description}`,
    before: [...before, { do: 'cut', client: 'holder', servers: unreached }],
    steps: [RENEWED, ...steps, TAKEOVER],
  };
}
