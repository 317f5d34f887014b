import { SimUnsupportedError } from '../../../unsupported.ts';

/** A part of PostgreSQL that the simulator does not have. */
export class SqlUnsupported extends SimUnsupportedError {
  override readonly name = 'SqlUnsupported';

  constructor(what: string) {
    super(what, 'PostgreSQL');
  }
}
