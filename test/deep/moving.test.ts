import { movingTests } from '../properties/support/moving-tests.ts';

/** 64 cells of a row and two phases that hold: 100,000 schedules in all. */
movingTests(1_600);
