import { topologyTests } from './support/topology-tests.ts';

/** Fewer schedules than elsewhere: what these cells share with redis-simple is played there. */
topologyTests({ schedules: 50, seeds: 1, minimised: 0 });
