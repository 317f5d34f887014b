export * from '../support/contending.ts';
