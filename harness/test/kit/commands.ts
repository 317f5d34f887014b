/** The command line of `holdfast find`, for tests outside of the harness. */

export { findCommand } from '../../src/cli/find-command.ts';
export { searchRequestFrom } from '../../src/cli/search-request-arguments.ts';
