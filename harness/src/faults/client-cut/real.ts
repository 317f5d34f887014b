import type { Choreography, Deployment, Step } from '../../sim/schedule/real.ts';
import { areIndependent, first, majorityIn, OVER, some, TAKEOVER } from '../parts/real.ts';

/** Of the holder: in turns from all, from a majority, from a minority, and one way. */
export function really(deployment: Deployment): readonly Choreography[] {
  const { called, servers, isEnsemble, lock, isUserOwned } = deployment;
  const nothing = 'nothing passes between the holder and';
  const oneWay = `nothing passes from ${called} to the holder any more`;
  if (isUserOwned) return [cut(`${nothing} ${called} any more`)];
  const late = cut(`${nothing} ${called} any more, until it is over, and arrives then`, {
    held: 'arrives',
  });
  // Its release is to be on its way when the lease is over.
  if (lock?.trustsClientClocks) return [atTheEnd(late)];
  const minority = Math.ceil((servers - 1) / 2);
  const majority = majorityIn(deployment);
  if (isEnsemble)
    return [
      cut(`${nothing} ${called} any more`),
      cut(oneWay, { way: 'reply' }),
      cut(`${nothing} ${some(servers - 1, deployment)} any more`, { from: first(servers - 1) }),
    ];
  const arrives = cut(`${oneWay}; what the holder sends arrives`, { way: 'reply' });
  if (!areIndependent(deployment))
    return [cut(`${nothing} ${called} any more, and is lost`), late, arrives];
  return [
    cut(`${nothing} ${called} any more`),
    cut(`${nothing} ${some(majority, deployment)} any more`, { from: first(majority) }),
    cut(`${nothing} ${some(minority, deployment)} any more`, { from: first(minority) }),
    arrives,
  ];
}

interface Cut {
  readonly from?: readonly number[];
  readonly way?: 'reply';
  readonly held?: 'lost' | 'arrives';
}

function cut(told: string, { from, way, held = 'lost' }: Cut = {}): Choreography {
  const step: Step = {
    do: 'cut',
    client: 'holder',
    ...(from === undefined ? {} : { servers: from }),
    ...(way === undefined ? {} : { way }),
  };
  return { told, steps: [step, OVER, { do: 'heal', held }] };
}

function atTheEnd({ steps, ...more }: Choreography): Choreography {
  return {
    ...more,
    steps: [
      { do: 'await', moment: 'end' },
      ...steps.map((step) => (step === OVER ? TAKEOVER : step)),
    ],
  };
}
