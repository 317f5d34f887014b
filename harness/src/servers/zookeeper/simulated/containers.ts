import type { Tree } from './tree.ts';

/** Containers that had children and have none: what a leader deletes once in a while (ContainerManager). */
export function emptyContainers(tree: Tree): readonly string[] {
  const empty: string[] = [];
  for (const [path, node] of tree.nodes)
    if (node.isContainer && node.creates > 0 && node.children.size === 0) empty.push(path);
  return empty;
}
