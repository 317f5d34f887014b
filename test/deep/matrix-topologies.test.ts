import { topologyTests } from '../matrix/support/topology-tests.ts';

topologyTests({ schedules: 4_000, searched: 4_000, seeds: 10, minimised: 2, timeoutMs: 3_600_000 });
