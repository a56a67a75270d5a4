import type { AgentConfig } from '../config/agent-config.ts';
import type { Containment } from '../executor/docker/host-config.ts';

/** What the configuration lets every job's container use of the machine. */
export function containmentOf(config: AgentConfig): Containment {
  const { memoryBytes, numCpus, pidsLimit, extraCapabilities, containerNetwork, dnsServers, allowMetadata } = config;
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(numCpus === undefined ? {} : { cpus: numCpus }),
    ...(containerNetwork === undefined ? {} : { network: containerNetwork }),
    pidsLimit,
    extraCapabilities,
    dnsServers,
    allowMetadata,
  };
}
