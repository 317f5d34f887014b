import { handOverTests } from '../properties/support/hand-over-tests.ts';

/** 46 pairs of a lock and a row: 13,800 schedules in all. */
handOverTests(300);
