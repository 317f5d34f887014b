import { fairQueueTests } from '../matrix/support/fair-queue-tests.ts';

fairQueueTests({ schedules: 2_000, seed: 2, timeoutMs: 1_200_000 });
