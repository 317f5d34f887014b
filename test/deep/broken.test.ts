import { BUDGET_MAX } from '../broken/mutant.ts';
import { MUTANTS } from '../broken/mutants/index.ts';
import { tryRight } from '../broken/try-mutants.ts';

tryRight(MUTANTS, BUDGET_MAX);
