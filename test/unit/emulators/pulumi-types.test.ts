import { describe, expect, it } from 'vitest';
import { Router } from '../../emulators/pulumi-cloud/call.ts';
import { settingsOf } from '../../emulators/pulumi-cloud/options.ts';
import { DeploymentQueue } from '../../emulators/pulumi-cloud/queue.ts';
import { routesOf } from '../../emulators/pulumi-cloud/routes.ts';
import { Stacks } from '../../emulators/pulumi-cloud/stacks.ts';
import { TokenStore } from '../../emulators/pulumi-cloud/tokens.ts';
import { CLI, ModelScene } from '../../support/emulators/model-calls.ts';
import { faultsOf, type PulumiType } from '../../support/pulumi-types/types.ts';

const STACK = '/api/stacks/acme/web/dev';
const AGENT = { version: 'v2.2.0', platform: 'linux', hostname: 'ci-1', status: 'online' } as const;
const JOB = { image: 'x', steps: ['Setup', 'pulumi'].map((name) => ({ name, run: 'true' })) };

/** The type of each call's answer, and whether it is a list of them. `:id` is the claimed deployment. */
const TYPES: readonly [path: string, type: PulumiType, isList?: true][] = [
  [`${STACK}/deployments/:id`, 'GetDeploymentResponse'],
  [`${STACK}/deployments/version/1`, 'GetDeploymentResponse'],
  [`${STACK}/deployments?page=1&pageSize=100`, 'ListDeploymentResponseV2'],
  ['/api/orgs/acme/deployments?page=1&pageSize=100', 'ListDeploymentResponseV2'],
  [`${STACK}/deployments/:id/updates`, 'UpdateInfo', true],
  [`${STACK}/deployments/:id/logs?job=0&step=1&offset=0&count=499`, 'DeploymentLogsBase'],
  [`${STACK}/deployments/:id/logs`, 'DeploymentLogsBase'],
  [`${STACK}/deployments/settings`, 'DeploymentSettings'],
  [`${STACK}/deployments/metadata`, 'StackDeploymentsMetadataResponse'],
  [`${STACK}/drift/runs?page=1&pageSize=20`, 'ListDriftRunsResponse'],
  [`${STACK}/drift/status`, 'StackDriftStatus'],
  ['/api/orgs/acme/deployments/metadata', 'OrgDeploymentsMetadataResponse'],
  [STACK, 'AppStack'],
  [`${STACK}/outputs`, 'StackOutputsResponse'],
  ['/api/user/stacks?organization=acme', 'AppListStacksResponse'],
  ['/api/orgs/acme/agent-pools', 'ListAgentPoolsResponse'],
  ['/api/orgs/acme/agent-pools/pool-1', 'AgentPoolDetail'],
];

/** Those that only Pulumi's CLI makes. */
const AS_CLI = new Set([`${STACK}/deployments/version/1`, `${STACK}/deployments/:id/logs`]);

const NETWORK = '/api/stacks/acme/network/prod';
const UPDATE = `${NETWORK}/update/:updateID`;
const SECRET = Buffer.from('hunter2').toString('base64');
const ROOT = { urn: 'urn:x', type: 'pulumi:pulumi:Stack', custom: false, outputs: { answer: 42 } };
const PROGRAM = { name: 'network', runtime: 'yaml', options: { dryRun: false }, metadata: { message: '' } };

type Fields = Readonly<Record<string, unknown>>;

/** A call of Pulumi's CLI, what it sends, and the type of its answer: none where the SDK reads no answer. */
interface CliCall {
  readonly call: string;
  /** Made of the fields of all answers before. */
  readonly sent?: (said: Fields) => object;
  readonly type?: PulumiType;
  /** The field whose elements have the type. */
  readonly list?: string;
}

/** Every call of Pulumi's CLI for a stack and its updates, in order. `:updateID` is the last one that was answered. */
const CLI_CALLS: readonly CliCall[] = [
  { call: 'GET /api/user', type: 'User' },
  { call: 'GET /api/user/organizations/default', type: 'AppGetDefaultOrganizationResponse' },
  {
    call: 'POST /api/stacks/acme/network',
    sent: () => ({ stackName: 'prod', tags: {} }),
    type: 'AppCreateStackResponse',
  },
  { call: 'HEAD /api/stacks/acme/network' },
  { call: `PATCH ${NETWORK}/tags`, sent: () => ({ owner: 'web' }) },
  { call: `POST ${NETWORK}/encrypt`, sent: () => ({ plaintext: SECRET }), type: 'AppEncryptValueResponse' },
  {
    call: `POST ${NETWORK}/decrypt`,
    sent: ({ ciphertext }) => ({ ciphertext }),
    type: 'AppDecryptValueResponse',
  },
  { call: `POST ${NETWORK}/decrypt/log-batch-decryption`, sent: () => ({ secretName: 'x' }) },
  {
    call: `POST ${NETWORK}/batch-encrypt`,
    sent: () => ({ plaintexts: [SECRET] }),
    type: 'AppBatchEncryptResponse',
  },
  {
    call: `POST ${NETWORK}/batch-decrypt`,
    sent: ({ ciphertexts }) => ({ ciphertexts }),
    type: 'AppBatchDecryptResponse',
  },
  { call: `GET ${NETWORK}/export`, type: 'AppUntypedDeployment' },
  { call: `POST ${NETWORK}/update`, sent: () => PROGRAM, type: 'AppUpdateProgramResponse' },
  { call: `GET ${UPDATE}`, type: 'AppUpdateResults' },
  { call: `POST ${UPDATE}`, sent: () => ({ journalVersion: 2 }), type: 'AppStartUpdateResponse' },
  { call: `GET ${UPDATE}`, type: 'AppUpdateResults' },
  { call: `GET ${NETWORK}`, type: 'AppStack' },
  { call: `PATCH ${UPDATE}/checkpoint`, sent: () => ({ version: 3, deployment: { resources: [ROOT] } }) },
  { call: `GET ${NETWORK}/outputs`, type: 'StackOutputsResponse' },
  {
    call: `POST ${UPDATE}/renew_lease`,
    sent: () => ({ duration: 300 }),
    type: 'AppRenewUpdateLeaseResponse',
  },
  {
    call: `POST ${UPDATE}/events/batch`,
    sent: () => ({ events: [{ sequence: 0, timestamp: 1, stdoutEvent: { message: 'a', color: 'never' } }] }),
  },
  { call: `GET ${UPDATE}/events`, type: 'GetUpdateEventsResponse' },
  { call: `POST ${UPDATE}/complete`, sent: () => ({ status: 'succeeded' }) },
  { call: `GET ${UPDATE}`, type: 'AppUpdateResults' },
  { call: `GET ${UPDATE}/events`, type: 'GetUpdateEventsResponse' },
  { call: `GET ${NETWORK}/updates`, type: 'AppUpdateInfo', list: 'updates' },
  { call: `GET ${NETWORK}/export`, type: 'AppUntypedDeployment' },
  { call: `POST ${NETWORK}/update`, sent: () => PROGRAM, type: 'AppUpdateProgramResponse' },
  { call: `POST ${UPDATE}`, sent: () => ({}), type: 'AppStartUpdateResponse' },
  { call: `POST ${UPDATE}/cancel` },
  { call: `GET ${UPDATE}`, type: 'AppUpdateResults' },
  {
    call: `POST ${NETWORK}/deployments/settings`,
    sent: () => ({ agentPoolID: 'pool-1', executorContext: { executorImage: 'x' } }),
    type: 'DeploymentSettings',
  },
  { call: `DELETE ${NETWORK}?force=true` },
];

/** Those with the update's own token. */
const LEASED = /\/(?:checkpoint|renew_lease|events\/batch|complete)$/;

const ABOVE = 'judged at every stage of a deployment';
const AGENTS = "neither Pulumi's SDK nor its CLI has the call, which only agents make";
const NOT_READ = "Pulumi's SDK reads no answer";

/** The calls in neither table: why not. */
const OTHERS: Readonly<Record<string, string>> = {
  'POST /api/oauth/token': 'judged in exchange.test.ts',
  'GET /api/capabilities': 'judged in its own test',
  'GET /api/deployments/poll': ABOVE,
  'GET /api/deployments/:deploymentId/status': ABOVE,
  'POST /api/stacks/:org/:project/:stack/deployments': ABOVE,
  'POST /api/stacks/:org/:project/:stack/deployments/:deploymentId/cancel': NOT_READ,
  'GET /api/background-activities/token': AGENTS,
  'POST /api/background-activities/configuration': AGENTS,
  'POST /api/agent-workflows/deployment': AGENTS,
  'POST /api/agent-workflows/:workflow/check': AGENTS,
  'GET /api/workflow/jobs/:jobId': AGENTS,
  'POST /api/workflow/jobs/:jobId/heartbeat': AGENTS,
  'PATCH /api/workflow/jobs/:jobId/:step/status': AGENTS,
  'POST /api/workflow/jobs/:jobId/:step/logs': AGENTS,
};

function parts(operation: string) {
  const pools = [{ id: 'pool-1', name: 'ci', agents: [AGENT] }];
  const scene = new ModelScene({ pools, defaultPoolId: 'pool-1', stackPageSize: 1 });
  const { cloud } = scene;
  const stack = { project: 'web', poolId: 'pool-1', job: JOB };
  cloud.defineStack({ ...stack, stack: 'dev', changes: { create: 2 }, drifts: true });
  cloud.defineStack({ ...stack, stack: 'paused', paused: true });
  const start = (name: string) =>
    scene.call('POST', `/api/stacks/acme/web/${name}/deployments`, cloud.userToken, {
      operation,
      inheritSettings: true,
    });
  return { scene, cloud, start, pool: cloud.createStaticToken('pool-1') };
}

type Parts = ReturnType<typeof parts>;

/** Makes every call of `TYPES`, and expects answers without a fault. */
async function judge({ scene, cloud }: Parts, id: string, isServed = true): Promise<void> {
  for (const [path, type, isList] of TYPES) {
    if (!isServed && path.includes('/logs')) continue;
    const headers = AS_CLI.has(path) ? CLI : {};
    const { status, body } = await scene.call(
      'GET',
      path.replace(':id', id),
      cloud.userToken,
      undefined,
      headers,
    );
    const faults = (isList === true ? (body as unknown[]) : [body]).flatMap((each) => faultsOf(type, each));
    expect({ path, status, faults }).toEqual({ path, status: 200, faults: [] });
  }
}

describe("an answer of the emulated Pulumi Cloud is of Pulumi's own type", () => {
  it.each(['update', 'detect-drift', 'remediate-drift', 'preview', 'refresh', 'destroy'])(
    'at every stage of %s',
    async (operation) => {
      const all = parts(operation);
      const { scene: calls, cloud, start, pool } = all;
      await start('paused');
      const started = await start('dev');
      expect(faultsOf('CreateDeploymentResponse', started.body)).toEqual([]);
      const { id } = started.body as { id: string };
      const claim = await calls.call<{ jobID: string; jobToken: string }>(
        'GET',
        '/api/deployments/poll',
        pool,
      );
      expect(faultsOf('AgentWorkflowDefinition', claim.body)).toEqual([]);
      const { jobID, jobToken } = claim.body;
      const tell = (step: number, status: string) =>
        calls.call('PATCH', `/api/workflow/jobs/${jobID}/${step}/status`, jobToken, { status });
      for (const [step, status] of [
        [0, 'running'],
        [0, 'succeeded'],
        [1, 'running'],
      ] as const)
        await tell(step, status);
      const lines = [{ t: '2026-06-18T10:00:00.123Z', l: 'a\n' }];
      await calls.call('POST', `/api/workflow/jobs/${jobID}/1/logs`, jobToken, { offset: 0, lines });
      await judge(all, id);
      const state = await calls.call('GET', `/api/deployments/${id}/status`, pool);
      expect(faultsOf('JobStatus', state.body)).toEqual([]);
      await tell(1, 'succeeded');
      expect(cloud.deployment(id).status).toBe('succeeded');
      await judge(all, id);
    },
  );

  it('once it skipped a deployment for a newer one', async () => {
    const all = parts('update');
    all.cloud.defineStack({
      project: 'web',
      stack: 'dev',
      poolId: 'pool-1',
      job: JOB,
      skipsIntermediate: true,
    });
    const { id } = (await all.start('dev')).body as { id: string };
    await all.start('dev');
    expect(all.cloud.deployment(id).status).toBe('skipped');
    await judge(all, id, false);
  });

  it('where it names the versions of its API', async () => {
    const { body } = await parts('update').scene.call('GET', '/api/capabilities', '');
    expect(faultsOf('AppCapabilitiesResponse', body)).toEqual([]);
  });

  it("to every call of Pulumi's CLI for a stack and its update", async () => {
    const { scene, cloud } = parts('update');
    let said: Fields = {};
    for (const [at, { call, sent, type, list }] of CLI_CALLS.entries()) {
      const [method = '', path = ''] = call.replace(':updateID', String(said['updateID'])).split(' ');
      const lease = LEASED.test(path) && { authorization: `update-token ${said['token']}` };
      const headers = { ...CLI, ...lease };
      const answer = await scene.call<Fields>(method, path, cloud.userToken, sent?.(said), headers);
      const { status, body } = answer;
      const judged = list === undefined ? [body] : (body[list] as unknown[]);
      const faults = type === undefined ? [] : judged.flatMap((each) => faultsOf(type, each));
      const hundreds = Math.trunc(status / 100);
      expect({ at, call, hundreds, faults }).toEqual({ at, call, hundreds: 2, faults: [] });
      expect(judged.length).toBeGreaterThan(0);
      said = { ...said, ...body };
    }
  });

  it('at every call that it answers, but for those that have none', () => {
    const settings = settingsOf({});
    const tokens = new TokenStore();
    const stacks = new Stacks(settings.clock);
    const queue = new DeploymentQueue(settings, tokens, stacks);
    const routes = routesOf({ settings, tokens, stacks, queue, issuers: new Map() });
    const router = new Router(routes);
    const calls = [...TYPES.map(([path]) => `GET ${path}`), ...CLI_CALLS.map(({ call }) => call)];
    const judged = calls.map((call) => {
      const [method = '', path = ''] = call.split(' ');
      return router.find(method, new URL(path, 'http://x').pathname)?.route;
    });
    const others = routes.filter((route) => !judged.includes(route));
    expect(others.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      Object.keys(OTHERS).toSorted(),
    );
  });
});
