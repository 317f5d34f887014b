import { duplicateNodeTests } from '../properties/support/duplicate-nodes.ts';

/** Two holders are found within a few hundred on three nodes. */
duplicateNodeTests(1_000);
