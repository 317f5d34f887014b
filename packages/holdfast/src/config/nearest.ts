export { didYouMean, nearest } from '@holdfast/core';
