import { fairQueueTests } from './support/fair-queue-tests.ts';

/** `npm run test:deep` plays more. */
fairQueueTests({ schedules: 24, timeoutMs: 120_000 });
