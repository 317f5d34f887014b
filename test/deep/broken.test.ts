import { BUDGET_MAX } from '../broken/mutant.ts';
import { ALL_MUTANTS } from '../broken/mutants/index.ts';
import { testRightLocks } from '../broken/try-mutants.ts';

testRightLocks(ALL_MUTANTS, BUDGET_MAX);
