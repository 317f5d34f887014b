import { ALL_MUTANTS } from '../broken/mutants/index.ts';
import { tryEverySeed } from '../broken/try-mutants.ts';

tryEverySeed(ALL_MUTANTS);
