import type { Choreography, Deployment, Step, Unplayable } from '../../sim/schedule/real.ts';
import { first, RENEWED, TAKEOVER } from '../parts/real.ts';
import { shareOf } from './share.ts';

/** How often each clock is moved within a ttl, so that it never jumps by more than a few ms. */
const MOVES = 20;
/** Of the time that passes. */
const RATE = 3 / 10;

/** A holder that renews is cut off, so that its lease runs to its end. */
export function really({
  called,
  servers,
  isEnsemble,
  ttlMs,
  lock,
}: Deployment): readonly Choreography[] | Unplayable {
  if (isEnsemble)
    return {
      unplayable:
        'only simulated: a session ends by monotonic clocks, and only wall clocks are moved',
    };
  const cut: readonly Step[] = lock?.renews === true ? [{ do: 'cut', client: 'holder' }] : [];
  const farMs = RATE * ttlMs;
  const moves = first(MOVES).flatMap((move) => clocks((move + 1) / MOVES, servers, farMs));
  const told =
    servers === 1 ? `the clock of ${called} runs fast` : `the clocks of ${called} run apart`;
  return [
    {
      told: cut.length === 0 ? told : `${told}, and the holder is cut off from ${called}`,
      variant: 'beyond the margin',
      before: clocks(0, servers, farMs),
      steps: [
        RENEWED,
        ...cut,
        { do: 'meanwhile', everyMs: ttlMs / moves.length, steps: moves },
        TAKEOVER,
        { do: 'heal', held: 'lost' },
      ],
    },
  ];
}

/** Where they are after this part of a ttl: those that run fast start behind and catch up, as after a leap second. */
function clocks(part: number, servers: number, farMs: number): readonly Step[] {
  return first(servers).map((place) => {
    const share = shareOf(place, servers);
    const ms = farMs * share * (share > 0 ? part - 1 : part);
    return { do: 'jumpWall', servers: [place], ms };
  });
}
