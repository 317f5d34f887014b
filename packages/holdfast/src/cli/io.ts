/** Where a command reads and writes; tests hand in their own. */
export interface Io {
  readonly stdout: Out;
  readonly stderr: Out;
  readonly env: NodeJS.ProcessEnv;
}

export interface Out {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}
