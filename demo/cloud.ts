import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { Policy } from '../test/emulators/pulumi-cloud/exchange.ts';
import { PulumiCloud, type PulumiCloudOptions } from '../test/emulators/pulumi-cloud/server.ts';
import { type JobSettings, PROGRAMS, type ProgramName } from './job.ts';
import type { ProgramHost } from './program-host.ts';

export const ORGANIZATION = 'acme';
export const POOL_ID = '7a1c52d0-5f0e-4c1b-9d3e-b1f3c06f2a44';
export const PROJECT = 'infrastructure';

const API_DEADLINE_MS = 10_000;

export interface CloudOptions extends Pick<PulumiCloudOptions, 'host'> {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** The claims that the CI job's ID token must have besides its audience; `*` matches any text. */
  readonly rules: Policy['rules'];
}

/** Starts a Pulumi Cloud with what the README says to create: an organization, a pool, an OIDC issuer and a policy. */
export async function startCloud({ issuer, jwksUrl, rules, host }: CloudOptions): Promise<PulumiCloud> {
  const cloud = await PulumiCloud.start({
    organization: ORGANIZATION,
    pools: [{ id: POOL_ID, name: 'private-network' }],
    ...(host !== undefined && { host }),
  });
  cloud.registerIssuer({
    issuer,
    jwksUrl,
    policies: [
      {
        decision: 'allow',
        tokenType: 'runner',
        runnerID: POOL_ID,
        rules: { aud: `urn:pulumi:org:${ORGANIZATION}`, ...rules },
      },
    ],
  });
  return cloud;
}

export interface StackOptions {
  readonly program: ProgramName;
  readonly image: string;
  readonly host: ProgramHost;
  /** Also names the state on the program host. */
  readonly stack: string;
  readonly architecture?: string;
}

/** A queued deployment and its secrets. */
export interface Queued {
  readonly deployment: Deployment;
  readonly secrets: readonly string[];
}

/**
 * Registers a stack that deploys the program, and starts a deployment the way a user does: `POST …/deployments`.
 * @throws Error if the API refuses
 */
export async function startDeployment(cloud: PulumiCloud, options: StackOptions): Promise<Queued> {
  const { program, image, host, stack, architecture } = options;
  const { job, keepsState } = PROGRAMS[program];
  const accessToken =
    keepsState === 'in Pulumi Cloud' ? cloud.userToken : `pul-${randomBytes(20).toString('hex')}`;
  const settings: JobSettings = {
    image,
    host,
    stack: `${ORGANIZATION}/${PROJECT}/${stack}`,
    stateUrl: host.stateUrlOf(stack),
    accessToken,
    ...(architecture !== undefined && { architecture }),
  };
  cloud.defineStack({ project: PROJECT, stack, poolId: POOL_ID, job: job(settings) });
  const answer = await fetch(`${cloud.url}/api/stacks/${ORGANIZATION}/${PROJECT}/${stack}/deployments`, {
    method: 'POST',
    headers: {
      Accept: 'application/vnd.pulumi+8',
      Authorization: `token ${cloud.userToken}`,
      'Content-Type': 'application/json',
      'User-Agent': `demo/1 (${process.platform}; ${process.arch})`,
    },
    body: JSON.stringify({ operation: 'update', inheritSettings: true }),
    signal: AbortSignal.timeout(API_DEADLINE_MS),
  });
  const body = await answer.text();
  if (answer.status !== 202) {
    throw new Error(
      `Failed to start a deployment for ${ORGANIZATION}/${PROJECT}/${stack}: ${answer.status} ${body}`,
    );
  }
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(body));
  return { deployment: cloud.deployment(id), secrets: [accessToken, host.password] };
}
