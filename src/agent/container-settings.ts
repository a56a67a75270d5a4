import type { AgentConfig } from '../config/agent-config.ts';
import { readVolume } from '../config/keys/jobs.ts';
import type { ContainerSettings } from '../executor/executor.ts';
import { imagePolicy } from '../executor/image-policy.ts';

/** What the configuration says of every job's container. */
export function containerSettings(config: AgentConfig): ContainerSettings {
  const policy = imagePolicy({ allowed: config.allowedImages, requireDigest: config.requireDigest });
  return {
    ...(policy === undefined ? {} : { policy }),
    ...(config.cacheVolume === undefined
      ? {}
      : { cache: { ...readVolume(config.cacheVolume), owner: cacheOwner(config) } }),
  };
}

/** One pool's jobs may trust each other's files, another's may not. A static token doesn't say which pool it is for. */
function cacheOwner({ organizationName, runnerPoolId }: AgentConfig): string {
  return organizationName === undefined || runnerPoolId === undefined
    ? 'static-token'
    : `${organizationName}/${runnerPoolId}`;
}
