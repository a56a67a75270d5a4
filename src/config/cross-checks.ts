import type { AgentConfig } from './agent-config.ts';
import { formatDuration } from './duration.ts';
import type { ConfigProblem } from './problem.ts';
import { environmentNames, type KeyName } from './schema.ts';
import { CONFIG_FILE_NAME, type SearchSources, searchDirectories } from './search-path.ts';
import { isLoopbackHost } from './service-url.ts';
import { describeSetting, problemWith, type Setting } from './setting.ts';
import { checkTrigger, type Purpose } from './trigger-checks.ts';

type Settings = ReadonlyMap<KeyName, Setting>;

/** What was found of the configuration file. */
export interface FileState {
  readonly file?: string;
  /** False when it could not be read or parsed: then nothing can be called missing. */
  readonly fileUsable: boolean;
  /** Nothing will authenticate. */
  readonly offline: boolean;
  readonly purpose: Purpose;
}

/** Checks what no single setting can tell. A value that is absent from `config` was reported already. */
export function checkTogether(
  config: Partial<AgentConfig>,
  settings: Settings,
  sources: SearchSources,
  state: FileState,
): { problems: ConfigProblem[]; notices: string[] } {
  const address = checkServiceUrl(config, settings);
  const work = checkWorkflowTypes(config, settings);
  return {
    problems: [
      ...(state.offline || state.purpose !== 'run' ? [] : checkAuthentication(settings, sources, state)),
      ...(state.offline || !state.fileUsable ? [] : checkTrigger(config, settings, state.purpose)),
      ...work.problems,
      ...address.problems,
    ],
    notices: [...work.notices, ...address.notices, ...checkWaits(config), ...checkImages(config, settings)],
  };
}

function checkAuthentication(
  settings: Settings,
  sources: SearchSources,
  { file, fileUsable }: FileState,
): ConfigProblem[] {
  const token = settings.get('token');
  const oidc = settings.get('oidc_token_file');
  if (token !== undefined && oidc !== undefined) {
    const clause = `is one way to authenticate, and ${describeSetting(oidc)} is another; keep one of them`;
    return [problemWith('token', token, clause)];
  }
  if (!fileUsable || token !== undefined) return [];
  if (oidc === undefined) {
    const looked =
      file === undefined
        ? ` (there is no ${CONFIG_FILE_NAME} in ${searchDirectories(sources).join(', ')})`
        : ` (neither the environment nor ${file} does)`;
    const [tokenVariable, oidcVariable] = [environmentNames('token')[0], environmentNames('oidc_token_file')[0]];
    const message = `no way to authenticate: set token (${tokenVariable}) or oidc_token_file (${oidcVariable})${looked}`;
    return [{ message, key: 'token' }];
  }
  return (['organization_name', 'runner_pool_id'] as const)
    .filter((key) => !settings.has(key))
    .map((key) => ({
      message: `${key} is required with ${describeSetting(oidc)}; set it (or ${environmentNames(key)[0]})`,
      key,
    }));
}

/** Other work than deployments is neither served nor leased: a lease that nobody serves would hold that work up. */
function checkWorkflowTypes(
  { enabledWorkflowTypes }: Partial<AgentConfig>,
  settings: Settings,
): { problems: ConfigProblem[]; notices: string[] } {
  const setting = settings.get('enabled_workflow_types');
  if (setting === undefined || enabledWorkflowTypes === undefined) return { problems: [], notices: [] };
  if (!enabledWorkflowTypes.includes('deployment')) {
    const clause = 'leaves out deployment, the only kind of work this agent serves; add it';
    return { problems: [problemWith('enabled_workflow_types', setting, clause)], notices: [] };
  }
  const others = enabledWorkflowTypes.filter((type) => type !== 'deployment');
  if (others.length === 0) return { problems: [], notices: [] };
  const names = `${describeSetting(setting)} names ${others.join(' and ')}`;
  return {
    problems: [],
    notices: [`${names}: that work needs Pulumi's own agent on the pool, this one serves deployment only.`],
  };
}

function checkServiceUrl(
  { serviceUrl, allowInsecureServiceUrl }: Partial<AgentConfig>,
  settings: Settings,
): { problems: ConfigProblem[]; notices: string[] } {
  const setting = settings.get('service_url');
  if (setting === undefined || serviceUrl === undefined || allowInsecureServiceUrl === undefined) {
    return { problems: [], notices: [] };
  }
  const url = new URL(serviceUrl);
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return { problems: [], notices: [] };
  if (allowInsecureServiceUrl) {
    return { problems: [], notices: [`${describeSetting(setting)} is not https: tokens cross the network readable.`] };
  }
  const clause = `would send tokens readable to ${url.host}; use https://, or set allow_insecure_service_url to true`;
  return { problems: [problemWith('service_url', setting, clause)], notices: [] };
}

function checkWaits(config: Partial<AgentConfig>): string[] {
  const { requestRetryWaitMs = 0, requestRetryMaxWaitMs = 0, pollingIntervalMs = 0, healthThresholdMs } = config;
  const notices: string[] = [];
  if (requestRetryWaitMs > requestRetryMaxWaitMs) {
    const longest = formatDuration(requestRetryMaxWaitMs);
    notices.push(
      `request_retry_wait (${formatDuration(requestRetryWaitMs)}) is longer than request_retry_max_wait; each wait is ${longest}.`,
    );
  }
  if (healthThresholdMs !== undefined && healthThresholdMs <= pollingIntervalMs) {
    const [threshold, interval] = [formatDuration(healthThresholdMs), formatDuration(pollingIntervalMs)];
    notices.push(
      `health_threshold (${threshold}) is not longer than polling_interval (${interval}); /healthz will say unhealthy between polls.`,
    );
  }
  return notices;
}

/** A tag says nothing of what a digest names, so such a pattern takes no image that is named by one. */
function checkImages({ allowedImages = [], requireDigest }: Partial<AgentConfig>, settings: Settings): string[] {
  const setting = settings.get('allowed_images');
  const tagged = allowedImages.filter((pattern) => /:[^/@]*$/.test(pattern.split('@', 1).join()));
  if (requireDigest !== true || setting === undefined || tagged.length === 0) return [];
  return [
    `${describeSetting(setting)} has ${tagged.join(' and ')}, which can take no image while require_digest is true: leave the tag out.`,
  ];
}
