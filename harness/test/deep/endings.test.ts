import { endingTests } from '../properties/support/endings.ts';

endingTests([1, 2, 3, 4, 5]);
