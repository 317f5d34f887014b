import { twinTests } from '../properties/support/duplicate-nodes.ts';

/** Two holders are found within a few hundred on three nodes. */
twinTests(1_000);
