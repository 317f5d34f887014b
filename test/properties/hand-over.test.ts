import { handOverTests } from './support/hand-over-tests.ts';

/** The faults that hit an adoption most; `npm run test:deep` plays all of them. */
handOverTests(10, ['delay', 'lost-reply']);
