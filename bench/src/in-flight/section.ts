import { RedisServer } from '@holdfast/harness/real';
import { assertExcludes, chosenOf } from '../candidate.ts';
import { CANDIDATES } from '../candidates.ts';
import { type Section, section } from '../section.ts';
import { type InFlightResult, measure } from './measure.ts';
import { inFlightCharts, inFlightText } from './text.ts';

interface InFlightFigures {
  readonly rounds: number;
  readonly results: readonly InFlightResult[];
}

const WARM_UPS = 2;

/** The cost of a lock that nobody else wants, against raw calls and other libraries. */
export const inFlight: Section = section<InFlightFigures>({
  name: 'in-flight',
  async measure({ rounds, tell, only }) {
    const chosen = chosenOf(CANDIDATES, only);
    const server = await RedisServer.start();
    try {
      for (const candidate of chosen) await assertExcludes(candidate, server.url);
      const onRound = (round: number): void =>
        tell(round < 0 ? 'warming up' : `in flight: round ${round + 1} of ${rounds}`);
      const options = { rounds, warmUps: WARM_UPS, onRound };
      return { rounds, results: await measure(chosen, server.url, options) };
    } finally {
      await server.close();
    }
  },
  text: ({ rounds, results }) => inFlightText(results, rounds),
  charts: ({ results }) => inFlightCharts(results),
});
