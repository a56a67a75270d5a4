import type { Engine } from './engine.ts';

/** The engine's data root; undefined where the engine may be on another machine, so that its folder isn't one of ours. */
export async function dataDirectory(engine: Engine, signal: AbortSignal): Promise<string | undefined> {
  const { socketPath } = await engine.endpoint();
  if (socketPath === undefined) return undefined;
  const info: unknown = await engine.call((docker) => docker.info(), { signal });
  if (typeof info !== 'object' || info === null || !('DockerRootDir' in info)) return undefined;
  const { DockerRootDir: directory } = info;
  return typeof directory === 'string' && directory.startsWith('/') ? directory : undefined;
}
