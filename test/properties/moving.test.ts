import { movingTests } from './support/moving-tests.ts';

/** `npm run test:deep` plays 100,000 in all. */
movingTests(12);
