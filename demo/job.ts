import { z } from 'zod';
import type { ProgramHost } from './program-host.ts';

/** The programs that the demo can deploy, best first. */
export const PROGRAM_NAMES = ['pulumi', 'pulumi-image', 'shell'] as const;
export type ProgramName = (typeof PROGRAM_NAMES)[number];

/** Where steps find the clone: writable for any image's user. */
const CLONE = '/tmp/program';
/** Printed only if step 0's script runs, which then fails: step 0 is the agent's own. */
export const NEVER_PRINTED = 'step 0 was executed';
/** The logged lines, as masked, in which `create.sh` prints its credentials. */
export const PRINTED_SECRETS = ['with access key ***', 'where the password is ***'] as const;

export interface JobSettings {
  readonly image: string;
  readonly host: Pick<ProgramHost, 'gitUrl' | 'username' | 'password'>;
  /** The stack's full name: organization, project and stack. */
  readonly stack: string;
  /** One of the host's state addresses. */
  readonly stateUrl: string;
  /** The job's `PULUMI_ACCESS_TOKEN`. */
  readonly accessToken: string;
  /** The engine's, in Docker's terms; this machine's by default. */
  readonly architecture?: string;
}

/** A job as `GET /api/workflow/jobs/{jobID}` shows it. */
export interface JobDefinition {
  readonly os: string;
  readonly architecture: string;
  readonly image: { readonly reference: string; readonly isDefault: boolean };
  readonly shell: string;
  readonly timeout: string;
  readonly env: Readonly<Record<string, string | { readonly secret: string }>>;
  readonly steps: readonly {
    readonly name: string;
    readonly run: string;
    readonly workingDir?: string;
    readonly timeout?: string;
  }[];
}

/** One way to deploy the demo's program. */
export interface DemoProgram {
  /** A noun phrase. */
  readonly title: string;
  /** Where the program's state is in the end. */
  readonly keepsState: 'in Pulumi Cloud' | 'on the host';
  /** The job; it expects `AWS_REGION` and `AWS_ACCESS_KEY_ID` to be forwarded. */
  job(settings: JobSettings): JobDefinition;
  /** The names of the resources in the state that the job left. Throws if it can't be parsed. */
  created(state: string): string[];
  /** The names that must be in the state at the end. */
  readonly expected: readonly string[];
}

const SERVICES = ['service-0', 'service-1', 'service-2'];

/** The ways to deploy the demo's program. */
export const PROGRAMS: Readonly<Record<ProgramName, DemoProgram>> = {
  pulumi: {
    title: 'a Pulumi YAML program by pulumi up, with its state in the emulated Pulumi Cloud',
    keepsState: 'in Pulumi Cloud',
    job: pulumiJob,
    created: createdByPulumi,
    expected: ['network', 'database', 'service'],
  },
  'pulumi-image': {
    title: 'a Pulumi YAML program by pulumi up, with a file:// backend',
    keepsState: 'on the host',
    job: pulumiImageJob,
    created: createdByPulumi,
    expected: ['network', 'database', 'service'],
  },
  shell: {
    title: "this project's own program in plain shell, with a remote state and its lock",
    keepsState: 'on the host',
    job: shellJob,
    created: (state) => z.object({ resources: z.array(z.string()) }).parse(JSON.parse(state)).resources,
    expected: ['network', 'database', ...SERVICES],
  },
};

/** A job that deploys `program/shell`. Its image needs curl and git. */
export function shellJob(settings: JobSettings): JobDefinition {
  return job(settings, 'shell', {}, [
    { name: 'Download dependencies', run: 'curl --version | head -n 1' },
    { name: 'Pre-run command 1', run: handOver('BRANCH') },
    { name: 'plan', run: 'sh deploy.sh plan' },
    { name: 'apply', run: 'sh deploy.sh apply', timeout: '10m0s' },
    { name: 'output', run: 'sh deploy.sh output' },
  ]);
}

function createdByPulumi(state: string): string[] {
  const { deployment } = z
    .object({ deployment: z.object({ resources: z.array(z.object({ urn: z.string() })) }) })
    .parse(JSON.parse(state));
  return deployment.resources.map(({ urn }) => urn.split('::').at(-1) ?? urn);
}

/** A job that deploys `program/pulumi` as Pulumi Deployments would. Its image needs `pulumi`, its provider `tempo`, and git. */
export function pulumiJob(settings: JobSettings): JobDefinition {
  const stack = `--stack ${settings.stack}`;
  return job(settings, 'pulumi', { PULUMI_SKIP_UPDATE_CHECK: 'true' }, [
    { name: 'Download dependencies', run: 'pulumi version' },
    { name: 'Pre-run command 1', run: `${handOver('BRANCH')}\nsh ../create.sh 'a warm-up' 1` },
    {
      name: 'pulumi preview',
      run: `pulumi config set branch "$BRANCH" ${stack} && pulumi preview ${stack}`,
    },
    { name: 'pulumi update', run: `pulumi up --yes --skip-preview ${stack}`, timeout: '10m0s' },
    { name: 'pulumi stack output', run: `pulumi stack output ${stack}` },
  ]);
}

/** A job that deploys `program/pulumi-image`. Its image is one of Pulumi's; the exported state goes to `stateUrl` at the end. */
export function pulumiImageJob(settings: JobSettings): JobDefinition {
  return job(
    settings,
    'pulumi-image',
    {
      PULUMI_BACKEND_URL: 'file:///tmp/state',
      PULUMI_CONFIG_PASSPHRASE: { secret: settings.host.password },
      PULUMI_SKIP_UPDATE_CHECK: 'true',
    },
    [
      {
        name: 'Download dependencies',
        run: 'mkdir -p /tmp/state && pulumi stack init demo && pulumi install',
      },
      { name: 'Pre-run command 1', run: `${handOver('BRANCH')}\nsh ../create.sh 'a warm-up' 1` },
      {
        name: 'pulumi preview',
        run: 'pulumi config set branch "$BRANCH" && pulumi preview --non-interactive --color never',
      },
      {
        name: 'pulumi update',
        run: 'pulumi up --yes --skip-preview --non-interactive --color never',
        timeout: '10m0s',
      },
      {
        name: 'pulumi stack export',
        run: [
          'set -o pipefail',
          'pulumi stack output --json',
          'pulumi stack export | curl --silent --show-error --fail --user "$STATE_USERNAME:$STATE_PASSWORD" --data-binary @- "$STATE_URL"',
        ].join('\n'),
      },
    ],
  );
}

/** A script that sets a variable for later steps. */
function handOver(name: string): string {
  return [
    'set -e',
    'branch=$(git rev-parse --abbrev-ref HEAD)',
    'echo "deploying branch $branch, commit $(git rev-parse HEAD)"',
    `echo "${name}=$branch" >>"\${PULUMI_ENV_FILE:-/PULUMI_ENV}"`,
  ].join('\n');
}

function job(
  {
    image,
    host,
    stateUrl,
    accessToken,
    architecture = process.arch === 'x64' ? 'amd64' : process.arch,
  }: JobSettings,
  program: ProgramName,
  env: JobDefinition['env'],
  steps: JobDefinition['steps'],
): JobDefinition {
  return {
    os: 'linux',
    architecture,
    image: { reference: image, isDefault: false },
    shell: 'bash',
    timeout: '30m0s',
    env: {
      PULUMI_ACCESS_TOKEN: { secret: accessToken },
      STATE_URL: stateUrl,
      STATE_USERNAME: host.username,
      STATE_PASSWORD: { secret: host.password },
      ...env,
    },
    steps: [
      { name: 'Setup', run: `echo '${NEVER_PRINTED}'; exit 97` },
      { name: 'Get source', run: `git clone --branch main ${host.gitUrl} ${CLONE}` },
      ...steps.map((step) => ({ ...step, workingDir: `${CLONE}/${program}` })),
    ],
  };
}
