import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { StartOptions } from '../../../src/cloud/deployments/start-deployment.ts';
import { OrganizationApi } from '../../../src/cloud/organization-api.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { PulumiCloud, type PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { cloudHttp, never } from '../cloud/cloud-http.ts';

export const POST = { method: 'POST', path: /\/deployments$/ };
export const LIST = { method: 'GET', path: /^\/api\/stacks\/.*\/deployments$/ };

/** An emulated Pulumi Cloud with stacks, and options to start their deployments; it stops after the running test. */
export async function organization(
  options: PulumiCloudOptions & { stacks?: readonly string[]; token?: string } = {},
) {
  const { stacks = ['web/prod'], token, ...cloudOptions } = options;
  const cloud = await PulumiCloud.start(cloudOptions);
  onTestFinished(() => cloud.stop());
  const job = { steps: [{ name: 'Setup' }] };
  for (const path of stacks) {
    const [project = '', stack = ''] = path.split('/');
    cloud.defineStack({ project, stack, poolId: 'pool-1', job });
  }
  const http = cloudHttp(cloud.url, { requestTimeoutMs: 5_000 });
  const api = new OrganizationApi(
    http,
    new StaticToken(token ?? cloud.createOrganizationToken(), ORGANIZATION),
  );
  const log: string[] = [];
  const starting: StartOptions = {
    api,
    operation: 'detect-drift',
    clock: systemClock,
    log: (level, message) => log.push(`${level}: ${message}`),
    retryCount: 2,
    retryWaitMs: 20,
    retryMaxWaitMs: 100,
    random: () => 0.5,
    signal: never,
  };
  const calls = (method: string) => cloud.requests.filter((request) => request.method === method).length;
  return { cloud, api, http, log, starting, calls };
}

export const PROD = { organization: 'acme', project: 'web', stack: 'prod' };
