/** Where the user's servers are named. */
export interface OwnSource {
  /** A URL, several separated by commas, or the path of a configuration file. */
  readonly source: string;
  /** The name of a store, where the file has several. */
  readonly store?: string | undefined;
}
