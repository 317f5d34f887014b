import { twinTests } from '../properties/support/twins.ts';

/** Two holders are found within a few hundred on three nodes. */
twinTests(1_000);
