import { globSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  changesBy,
  deploymentSchema,
  driftRunIn,
  driftSchema,
  eventsSchema,
  linesSchema,
  outputsInExport,
  outputsSchema,
  updatesIn,
} from '../../../src/cloud/deployment-wire.ts';
import { claimSchema, parseJobDefinition, statusIn } from '../../../src/cloud/job-wire.ts';
import {
  deploymentPageSchema,
  leastApiVersion,
  loadSchema,
  operationIn,
  poolListSchema,
  poolSchema,
  stackPageSchema,
  stackPauseSchema,
  stackSchema,
  stackSettingsSchema,
  startedSchema,
} from '../../../src/cloud/organization-wire.ts';
import { exchangeSchema } from '../../../src/cloud/token-exchange.ts';
import { ROOT, read } from '../../support/documents/pages.ts';
import { runs } from '../../support/property-runs.ts';
import { faultsOf, type PulumiType } from '../../support/pulumi-types/types.ts';
import { valuesOf } from '../../support/pulumi-types/values.ts';

type Fields = Record<string, unknown>;
type List = readonly Fields[] | null;

/** Checks a schema with any value of a type, to which a newer service added a field. */
function each<T>(type: PulumiType, check: (value: T) => void): void {
  const property = fc.property(valuesOf(type), (value) => {
    expect(faultsOf(type, value)).toEqual([]);
    const isObject = typeof value === 'object' && value !== null && type !== 'SecretValue';
    check((isObject ? { ...value, fromTheFuture: { a: [1] } } : value) as T);
  });
  fc.assert(property, { numRuns: runs(200) });
}

const PART = 'a part of the others';
const PATH = 'makes the path of a request';
const PAGE = "makes the address of a page of Pulumi's console";

/** Schemas and functions of the wire files that are not tried here: why not. */
const OTHERS: Readonly<Record<string, string>> = {
  text: PART,
  count: PART,
  lax: PART,
  tolerantList: PART,
  jobDefinitionSchema: 'parseJobDefinition reads with it',
  complaints: "reads zod's errors",
  timeOf: 'reads a part of others, which is any text',
  pathsOf: PATH,
  stackPath: PATH,
  deploymentsPath: PATH,
  consoleUrl: PAGE,
  deploymentUrl: PAGE,
};

const isName = (value: unknown) => typeof value === 'string' && value !== '';

describe("any answer of Pulumi's own type is read, and keeps what we use", () => {
  it('the start of a deployment', () => {
    each<Fields>('CreateDeploymentResponse', ({ id, version, consoleUrl }) => {
      const read = startedSchema.safeParse({ id, version, consoleUrl });
      expect(read.success).toBe(isName(id));
      if (read.success) expect(read.data).toEqual({ id, version, consoleUrl: consoleUrl || undefined });
    });
  });

  it('a page of deployments', () => {
    each<{ deployments: List; total: number }>('ListDeploymentResponseV2', (page) => {
      const read = deploymentPageSchema.parse(page);
      const listed = (page.deployments ?? []).filter(({ id }) => isName(id));
      expect(read.total).toBe(page.total);
      expect(
        read.deployments.map(({ id, status, pulumiOperation, version }) => ({
          id,
          status,
          pulumiOperation,
          version,
        })),
      ).toEqual(
        listed.map(({ id, status, pulumiOperation, version }) => ({ id, status, pulumiOperation, version })),
      );
      expect(read.deployments.map(({ paused }) => paused)).toEqual(
        listed.map(({ paused }) => paused === true),
      );
      const pools = listed.map(
        ({ agentPool }) => (agentPool as { id?: string | null } | null | undefined)?.id || undefined,
      );
      expect(read.deployments.map(({ poolId }) => poolId)).toEqual(pools);
    });
  });

  it('a page of stacks', () => {
    each<{ stacks: List; continuationToken?: string | null }>('AppListStacksResponse', (page) => {
      const read = stackPageSchema.parse(page);
      const named = (page.stacks ?? []).filter((stack) =>
        [stack['orgName'], stack['projectName'], stack['stackName']].every(isName),
      );
      expect(read.stacks.map(({ stack }) => stack)).toEqual(named.map(({ stackName }) => stackName));
      expect(read.continuationToken).toBe(page.continuationToken);
    });
  });

  it("the organization's load", () => {
    each<{ paused: boolean; concurrency: number; deploymentCounts: Record<string, number> }>(
      'OrgDeploymentsMetadataResponse',
      (load) => {
        const { notStarted, accepted = 0, running = 0 } = load.deploymentCounts;
        expect(loadSchema.parse(load)).toEqual({
          paused: load.paused,
          concurrency: load.concurrency,
          busy: accepted + running,
          queued: notStarted,
        });
      },
    );
  });

  it("the organization's pools, and which one is the default, and a pool's agents", () => {
    each<{ agentPools: readonly (Fields | null)[] | null; defaultAgentPoolID?: string | null }>(
      'ListAgentPoolsResponse',
      (list) => {
        const { agentPools, defaultAgentPoolID } = poolListSchema.parse(list);
        const named = (list.agentPools ?? []).filter((pool) => pool !== null).filter(({ id }) => isName(id));
        expect(agentPools).toEqual(named.map(({ id, name }) => ({ id, name: name || undefined })));
        expect(defaultAgentPoolID).toBe(list.defaultAgentPoolID || undefined);
      },
    );
    each<{ name: string; agents: readonly (Fields | null)[] | null }>('AgentPoolDetail', (pool) => {
      const { name, agents } = poolSchema.parse(pool);
      expect(name).toBe(pool.name || undefined);
      const some = (pool.agents ?? []).filter((agent) => agent !== null);
      expect(agents).toEqual(
        some.map(({ hostname, status }) => ({
          hostname: hostname || undefined,
          status: status || undefined,
        })),
      );
    });
  });

  it("a stack's deployment settings, and whether it is paused", () => {
    each<{ agentPoolID?: string | null; sourceContext?: Fields | null }>('DeploymentSettings', (settings) => {
      const { agentPoolID, sourceContext } = stackSettingsSchema.parse(settings);
      expect(agentPoolID).toBe(settings.agentPoolID || undefined);
      expect(sourceContext).toEqual(settings.sourceContext ?? undefined);
    });
    each<Fields>('StackDeploymentsMetadataResponse', ({ stackPaused, organizationPaused, ...rest }) =>
      expect(stackPauseSchema.parse({ stackPaused, organizationPaused, ...rest })).toEqual({
        stackPaused,
        organizationPaused,
      }),
    );
  });

  it('a deployment', () => {
    each<{ id: string; status: string; jobs?: List }>('GetDeploymentResponse', (deployment) => {
      const read = deploymentSchema.parse(deployment);
      expect(read.status).toBe(deployment.status);
      const steps = (deployment.jobs ?? []).flatMap((job) => (job['steps'] as List) ?? []);
      expect(read.steps.map(({ name, status }) => ({ name, status }))).toEqual(
        steps.map(({ name, status }) => ({ name, status })),
      );
    });
  });

  it("a step's log", () => {
    each<{ __type: string; lines: List; nextOffset?: number | null }>('DeploymentLogsBase', (logs) => {
      const read = linesSchema.parse(logs);
      expect(read.lines?.length ?? 0).toBe(logs.lines?.length ?? 0);
      if (logs.__type !== 'DeploymentLogsStep') return;
      expect((read.lines ?? []).map(({ line }) => line)).toEqual((logs.lines ?? []).map(({ line }) => line));
      expect(read.nextOffset ?? null).toBe(logs.nextOffset ?? null);
    });
  });

  it('an update', () => {
    each<{ info: { resourceChanges?: Record<string, number> | null } }>('UpdateInfo', (update) => {
      expect(changesBy(updatesIn([update]))).toEqual(update.info.resourceChanges ?? {});
    });
    expect(changesBy(updatesIn(null))).toBeUndefined();
    const named = { info: { kind: 'update', resourceChanges: { toString: 1 } }, updateID: '1' };
    expect(changesBy(updatesIn([named]))).toEqual({ toString: 1 });
  });

  it("the stack's drift, and its runs", () => {
    each<{ driftDetected: boolean }>('StackDriftStatus', (status) =>
      expect(driftSchema.parse(status).driftDetected).toBe(status.driftDetected),
    );
    each<{ driftRuns: List }>('ListDriftRunsResponse', (page) => {
      for (const { deploymentId } of page.driftRuns ?? [])
        if (isName(deploymentId)) {
          const run = page.driftRuns?.find((each) => each['deploymentId'] === deploymentId);
          const read = driftRunIn(page, String(deploymentId));
          expect(read).toMatchObject({ driftDetected: run?.['driftDetected'], status: run?.['status'] });
        }
      expect(driftRunIn(page, 'none')).toBeUndefined();
    });
  });

  it('a stack, and its outputs', () => {
    each<Fields>('AppStack', (stack) => {
      const { version, currentOperation } = stackSchema.parse(stack);
      expect(version).toBe(stack['version']);
      expect(currentOperation === undefined).toBe((stack['currentOperation'] ?? null) === null);
    });
    each<Fields>('StackOutputsResponse', (response) => {
      const { outputs, unknown, state } = outputsSchema.parse(response);
      expect(outputs).toEqual(response['outputs'] ?? {});
      expect([unknown, state]).toEqual([response['unknown'], response['state']]);
    });
  });

  it('the events of an update, of which only operation, URN and type are kept', () => {
    const kinds = ['resourcePreEvent', 'resOutputsEvent', 'resOpFailedEvent'] as const;
    type Event = Readonly<Partial<Record<(typeof kinds)[number], { readonly metadata: Fields } | null>>>;
    each<{ events: readonly Event[] | null; continuationToken: string | null }>(
      'GetUpdateEventsResponse',
      (page) => {
        const { events, continuationToken } = eventsSchema.parse(page);
        expect(continuationToken ?? null).toBe(page.continuationToken);
        const steps = (page.events ?? []).flatMap((event) =>
          kinds.flatMap((kind) => {
            const { op, urn, type } = event[kind]?.metadata ?? {};
            return isName(op) && isName(urn) && isName(type) ? [{ op, urn, type }] : [];
          }),
        );
        expect(events.map(({ phase: _, ...step }) => step)).toEqual(steps);
      },
    );
  });

  it("the outputs in a stack's state", () => {
    each('AppUntypedDeployment', (state) => expect(() => outputsInExport(state)).not.toThrow());
    each<{ resources?: List }>('AppDeploymentV3', (deployment) => {
      const resources = deployment.resources ?? [];
      const isRoot = ({ type }: Fields) => type === 'pulumi:pulumi:Stack';
      expect(outputsInExport({ version: 3, deployment })).toEqual(resources.find(isRoot)?.['outputs'] ?? {});
    });
    each<Fields>('AppResourceV3', ({ outputs, ...resource }) => {
      const root = { ...resource, type: 'pulumi:pulumi:Stack', outputs };
      const resources = [{ ...resource, type: 'other' }, root];
      expect(outputsInExport({ version: 3, deployment: { resources } })).toEqual(outputs ?? {});
    });
  });

  it('the operation that holds a stack', () => {
    each<{ stackName: string; currentOperation?: Fields | null }>('AppStack', (stack) => {
      const { stackName, currentOperation: held } = stack;
      const read = operationIn(stack);
      if (!isName(stackName)) expect(read).toBeUndefined();
      else if (!held) expect(read).toBe('none');
      else expect(read).toMatchObject({ kind: held['kind'], author: held['author'] });
    });
  });

  it("the least version of the API, among the service's other capabilities", () => {
    each<{ capabilities: List }>('AppCapabilitiesResponse', (answer) => {
      expect(leastApiVersion(answer) ?? 0).toBeTypeOf('number');
      const others = (answer.capabilities ?? [])
        .filter(({ capability }) => capability !== 'api-version')
        .map((other) => ({ ...other, configuration: { minVersion: 99 } }));
      expect(leastApiVersion({ ...answer, capabilities: others })).toBeUndefined();
      for (const at of [0, others.length]) {
        const own = {
          capability: 'api-version',
          version: 1,
          configuration: { minVersion: 7, maxVersion: 9 },
        };
        expect(leastApiVersion({ ...answer, capabilities: others.toSpliced(at, 0, own) })).toBe(7);
      }
    });
  });

  it("a deployment's status", () => {
    each<string>('JobStatus', (status) => {
      expect(statusIn(status)).toBe(status);
      expect(statusIn({ status, fromTheFuture: [1] })).toBe(status);
    });
  });

  it('a claim, and an exchange', () => {
    each<Fields>('AgentWorkflowDefinition', (claim) => {
      const read = claimSchema.safeParse(claim);
      const isWhole = [
        claim['jobID'],
        claim['jobToken'],
        claim['typeSpecificID'] || claim['deploymentID'],
      ].every(isName);
      expect(read.success).toBe(isWhole);
    });
    each<Fields>('TokenExchangeGrantResponse', (grant) =>
      expect(exchangeSchema.safeParse(grant).success).toBe(isName(grant['access_token'])),
    );
  });

  it('a variable, and an image with its password', () => {
    const steps = [{ name: 'Setup' }];
    const isUnusable = (value: unknown) => {
      const { ciphertext, secret, value: text } = (value ?? {}) as Record<string, string | null | undefined>;
      return typeof value === 'object' && Boolean(ciphertext) && !secret && !text;
    };
    each<unknown>('SecretValue', (value) => {
      const read = () => parseJobDefinition({ steps, env: { KEY: value } }, 'j').env['KEY'];
      if (isUnusable(value)) return expect(read).toThrow('env.KEY: is encrypted');
      const {
        plaintext,
        secret,
        value: explicit,
        isSecret,
      } = (typeof value === 'object' ? (value ?? {}) : { plaintext: value }) as Record<string, unknown>;
      const isPlain = isSecret === false || typeof plaintext === 'string';
      return expect(read()).toEqual({ value: plaintext ?? secret ?? explicit ?? '', secret: !isPlain });
    });
    each<string | { reference: string; credentials?: { username: string; password: unknown } | null }>(
      'DockerImage',
      (image) => {
        const { reference, credentials } = typeof image === 'string' ? { reference: image } : image;
        const read = () => parseJobDefinition({ steps, image }, 'j').image;
        if (credentials && isName(credentials.username) && isUnusable(credentials.password))
          return expect(read).toThrow('image.credentials.password: is encrypted');
        expect(read().reference).toBe(reference || undefined);
        return expect(read().credentials?.username).toBe(credentials?.username || undefined);
      },
    );
  });
});

it('every schema and function of the wire files is tried here, or says why not', async () => {
  // No import stays unused: biome.json.
  const imports = read('test/unit/cloud/pulumi-types.test.ts').matchAll(
    /^import \{([^}]*)\} from '\S*-wire\.ts';$/gm,
  );
  const tried = [...imports].flatMap(([, names = '']) => names.match(/\w+/g) ?? []);
  const files = globSync('src/cloud/*-wire.ts', { cwd: ROOT });
  const modules: object[] = await Promise.all(files.map((file) => import(join(ROOT, file))));
  const mayRead = ([, value]: [string, unknown]) => value instanceof z.ZodType || typeof value === 'function';
  const names = modules.flatMap((module) => Object.entries(module).filter(mayRead)).map(([name]) => name);
  expect(names.length).toBeGreaterThan(25);
  const untried = names.filter((name) => !tried.includes(name));
  expect(untried.toSorted()).toEqual(Object.keys(OTHERS).toSorted());
});
