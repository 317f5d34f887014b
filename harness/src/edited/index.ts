export { editedLock, type PackageSources } from './edited-lock.ts';
export { editingOf } from './editing-of.ts';
