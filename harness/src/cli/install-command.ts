/** How to get a redis-server on this kind of machine. */
export function installCommand(platform: NodeJS.Platform = process.platform): string {
  return platform === 'darwin' ? 'brew install redis' : 'sudo apt-get install redis-server';
}
