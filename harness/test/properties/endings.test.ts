import { endingTests } from './support/endings.ts';

endingTests([1]);
