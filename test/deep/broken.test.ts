import { BUDGET_MAX } from '../broken/mutant.ts';
import { CULPRITS } from '../broken/mutants/index.ts';
import { tryRight } from '../broken/try-mutants.ts';

tryRight(CULPRITS, BUDGET_MAX);
