import { duplicateNodeTests } from './support/duplicate-nodes.ts';

/** A lock that takes the word of a twin is found within a dozen; two holders, within what test:deep plays. */
duplicateNodeTests(50);
