import type { AgentConfig } from '../config/agent-config.ts';
import { containerSettings } from '../executor/registry.ts';
import type { JobOptions } from '../job/job.ts';

type JobSettings = Pick<
  JobOptions,
  'serviceUrl' | 'image' | 'pullImage' | 'container' | 'allowlist' | 'graceMs' | 'reportTimeoutMs' | 'host' | 'caBundle'
>;

export interface JobSettingsSources {
  readonly config: AgentConfig;
  /** The agent's own environment: what may be forwarded. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What jobs are to trust, as one PEM text; they trust what their image does when absent. */
  readonly caBundle?: string | undefined;
}

/** What this agent's settings and surroundings say of every job, wherever its definition comes from. */
export function jobSettings({ config, environment, caBundle }: JobSettingsSources): JobSettings {
  return {
    serviceUrl: config.serviceUrl,
    ...(config.image === undefined ? {} : { image: config.image }),
    pullImage: config.pullImage,
    container: containerSettings(config),
    allowlist: config.envForwardAllowlist,
    graceMs: config.cancelGracePeriodMs,
    reportTimeoutMs: config.reportTimeoutMs,
    host: environment,
    ...(caBundle === undefined ? {} : { caBundle }),
  };
}
