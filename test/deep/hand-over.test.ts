import { handOverTests } from '../properties/support/hand-over-tests.ts';

/** 44 pairs of a lock and a row: 13,000 schedules in all. */
handOverTests(300);
