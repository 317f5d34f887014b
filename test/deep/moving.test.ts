import { movingTests } from '../properties/support/moving-tests.ts';

/** 63 pairs of a row and two phases: 100,000 schedules in all. */
movingTests(1_600);
