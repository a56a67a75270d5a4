import type { ChunkingContext, CodeSplittingOptions } from 'rolldown';

/**
 * Splits off all but the entry files, since ncc's output runs slower than rolldown's: into `shared` what the agent shares
 * with other programs or with optional parts, into `ci-step` what only the others share, into `agent` the rest of the
 * agent. An optional part, loaded by `import()`, keeps what nothing else needs.
 */
export function chunksOf(agent: string, entries: ReadonlySet<string>): CodeSplittingOptions {
  const agentModules = new Set<string>();
  const isOfAgent = (id: string, modules: ChunkingContext): boolean => {
    // The graph is known only once chunks are made.
    if (agentModules.size === 0) addReached(agent, modules, agentModules);
    return agentModules.has(id);
  };
  const agentsOwn = (chunk: string) => ({
    debugName: chunk,
    name: (id: string, modules: ChunkingContext) => (isOfAgent(id, modules) ? chunk : null),
  });
  const test = (id: string) => !entries.has(id);

  return {
    groups: [
      { ...agentsOwn('shared'), test, minShareCount: 2, priority: 2 },
      { name: 'ci-step', test, minShareCount: 2, priority: 1 },
      { ...agentsOwn('agent'), test },
    ],
  };
}

/** Adds the modules that loading `entry` loads. */
function addReached(entry: string, modules: ChunkingContext, reached: Set<string>): void {
  const pending = [entry];
  for (const id of pending) {
    if (reached.has(id)) continue;
    reached.add(id);
    pending.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
}
