import type { AgentConfig } from '../../config/agent-config.ts';
import { defined } from '../../defined.ts';
import type { Place } from '../../record/schema.ts';
import type { ExecutorKind } from '../kind.ts';
import type { Containment } from './container/host-config.ts';
import { createDockerExecutor } from './docker-executor.ts';

/** Docker, as the registry of executors has it. */
export const dockerKind: ExecutorKind<Extract<Place, { readonly target: 'docker' }>> = {
  create: (config, { environment, logger, onSecret }) =>
    createDockerExecutor({ environment, containment: containmentOf(config), ...defined({ logger, onSecret }) }),
  place: async () => ({ target: 'docker' }),
  at: async (_, { environment, logger, onSecret }) =>
    createDockerExecutor({ environment, ...defined({ logger, onSecret }) }),
};

/** What the configuration lets every job's container use of the machine. */
function containmentOf(config: AgentConfig): Containment {
  const { memoryBytes, numCpus: cpus, pidsLimit, extraCapabilities, containerNetwork: network } = config;
  const { dnsServers, allowMetadata } = config;
  return { pidsLimit, extraCapabilities, dnsServers, allowMetadata, ...defined({ memoryBytes, cpus, network }) };
}
