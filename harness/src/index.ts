export { COMMANDS } from './cli/commands.ts';
