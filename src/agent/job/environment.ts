import { definitionOf } from '../../base/config/schema.ts';
import type { Environment } from '../../base/environment.ts';
import {
  type NamedVariables,
  secretValues,
  suspectedSecrets,
  variableSecrets,
} from '../../base/log/plain-names.ts';
import { MOST_OF_DEFINITION, type SecretSink } from '../../base/log/redactor.ts';
import { JobDefinitionError } from '../../cloud/errors.ts';
import type { ContainerFile } from '../../executor/executor.ts';
import type { Work } from './definition.ts';

/** The claim's OIDC token in the container (protocol section 4). */
const OIDC_FILE = '/mnt/pulumi/pulumi.oidc';

/** The trusted certificates in the container. */
const CA_FILE = '/mnt/pulumi/ca-certificates.crt';

/**
 * Variables that name such a file for OpenSSL and Go, Node.js, Python's requests, curl, git, AWS.
 */
const CA_VARIABLES = [
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'AWS_CA_BUNDLE',
];

/**
 * How much of the redactor's memory the variables that a job's steps write can take: 60 MB, and
 * half a second to build its machine anew. Random text takes 10 to 15 times its size, text that
 * each encoding writes otherwise up to 100 times.
 */
const MOST_TAUGHT = 2 * 1024 * 1024;
const UNHIDDEN =
  "Failed to hide the environment file's values for the next step: those of the job's steps are too many or too long. Keep them under about 100 kB, or pass them in files.";

/** Where steps write variables for later steps, unless the job names another file. */
const ENVIRONMENT_FILE = '/PULUMI_ENV';

interface ForwardingConfig extends NamedVariables {
  readonly serviceUrl: string;
  readonly envForwardAllowlist: readonly string[];
}

export interface EnvironmentSources {
  readonly claim: { readonly oidcToken: string | undefined };
  readonly config: ForwardingConfig;
  /** The CA certificates that the job trusts, as one PEM text; when absent, its image's. */
  readonly caBundle?: string | undefined;
  /** The agent's own environment, from which variables are forwarded. */
  readonly environment: Environment;
}

export type JobEnvironment = Readonly<ReturnType<typeof jobEnvironment>>;

/**
 * Assembles the steps' environment (protocol section 4): the job's variables, then those forwarded
 * from the host. The variables `written` by the hook before the job reach it as forwarded ones do.
 */
export function jobEnvironment(
  work: { readonly env: Work['env']; readonly credentials?: Work['credentials'] },
  sources: EnvironmentSources,
  written: Readonly<Record<string, string>> = {},
) {
  const { claim, caBundle } = sources;
  const { serviceUrl, plainVariables, secretVariables } = sources.config;
  const host = { ...sources.environment, ...written };
  const allowlist = [...sources.config.envForwardAllowlist, ...Object.keys(written)];
  const variables: Record<string, string> = {};

  for (const [name, { value }] of Object.entries(work.env)) variables[name] = value;

  const credentials = [work.credentials?.password, claim.oidcToken].filter((value) => value !== undefined);

  // Hidden in every log: credentials, marked and forwarded values, and suspected secrets.
  const secrets = [...credentials, ...variableSecrets(work.env, sources.config)];

  // A value that a step writes to a secret variable is secret too.
  const named = { plainVariables, secretVariables: [...secretVariables] };

  for (const [name, { secret }] of Object.entries(work.env)) if (secret) named.secretVariables.push(name);
  variables['PULUMI_SERVICE_URL'] ??= `${serviceUrl}/api`;
  // The CLI reads PULUMI_BACKEND_URL, then PULUMI_API, without `/api` (seen with 3.274.1). Only the
  // latter leaves a project its own backend.
  if (serviceUrl !== definitionOf('service_url').default && variables['PULUMI_BACKEND_URL'] === undefined)
    variables['PULUMI_API'] ??= serviceUrl;

  const files: ContainerFile[] = [];
  if (claim.oidcToken !== undefined) {
    variables['PULUMI_OIDC_TOKEN'] = claim.oidcToken;
    files.push({ path: OIDC_FILE, mode: 0o600, content: claim.oidcToken });
  }

  if (caBundle !== undefined) {
    for (const name of CA_VARIABLES) variables[name] ??= CA_FILE;
    // World-readable: steps may run as any user, and certificates aren't secret.
    files.push({ path: CA_FILE, mode: 0o644, content: caBundle });
  }

  // The names of the variables forwarded from the host, and sentences for the user.
  const [forwarded, warnings]: [string[], string[]] = [[], []];
  for (const name of new Set([...allowlist, 'DOCKER_HOST'])) {
    const value = host[name];
    if (value === undefined) {
      if (allowlist.includes(name))
        warnings.push(`${name} is on the allowlist but not set here, so it was not forwarded.`);
      continue;
    }

    if (name === 'PULUMI_ACCESS_TOKEN' && variables[name] !== undefined && variables[name] !== value) {
      warnings.push(
        "PULUMI_ACCESS_TOKEN from the runner replaces the job's own: the job acts with a different identity from the one that Pulumi Cloud chose.",
      );
    }

    variables[name] = value;
    forwarded.push(name);

    const values = secretValues({ [name]: value }, secretVariables);
    if (values.length > 0) named.secretVariables.push(name);
    secrets.push(...values);
  }

  // Read last, since the variable may be forwarded; shells treat an empty value as unset.
  const environmentFile = variables['PULUMI_ENV_FILE'] || ENVIRONMENT_FILE;
  // A path that the runner's own variable names isn't the deployment's choice.
  const isNamed = environmentFile !== ENVIRONMENT_FILE && !forwarded.includes('PULUMI_ENV_FILE');
  files.push({ path: environmentFile, mode: 0o600, content: '', ...(isNamed && { isNamed }) });

  return { variables, files, environmentFile, forwarded, secrets, named, warnings };
}

/**
 * Hides the job's secrets in all output from now on. Throws JobDefinitionError, which names the
 * largest, if they are more than can be hidden.
 */
export function hideSecrets({ secrets, variables }: JobEnvironment, sink: SecretSink): void {
  if (sink.add(secrets, MOST_OF_DEFINITION) !== undefined) return;

  const [largest = ''] = secrets.toSorted((a, b) => b.length - a.length);
  const named = Object.keys(variables).find((name) => variables[name]?.includes(largest));
  const which = `the largest is ${named ?? "the image's password"}, ${Math.ceil(largest.length / 1000)} kB long`;
  const advice = 'Keep all of them under about 200 kB, or let a step fetch them.';
  const message = `Failed to hide the secrets for the job: they are too many or too long; ${which}. ${advice}`;
  throw new JobDefinitionError(message, { code: 'PRA-JOB-12' });
}

/**
 * Returns a function that adds what a step wrote to its environment file to `variables`, and the
 * values to `secrets`: those that may be secret, as nothing marks them there. It throws if they
 * can't be hidden.
 */
export function furtherVariables(
  variables: Record<string, string>,
  secrets: SecretSink,
  named: NamedVariables,
) {
  let room = MOST_TAUGHT;
  return (written: string): void => {
    const further = parseEnvironmentFile(written);
    const size = secrets.add(suspectedSecrets(further, named), room);
    if (size === undefined) throw new Error(UNHIDDEN);
    room -= size;
    Object.assign(variables, further);
  };
}

/**
 * Parses a step's environment file: `KEY=VALUE` lines, split at the first `=`; blank lines and `#`
 * are skipped.
 */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => variableOf(line.replaceAll('\r', '')));
  return Object.fromEntries(lines.filter((variable) => variable !== undefined));
}

/**
 * Name and value of a line `NAME=VALUE`; undefined for any other, and if no shell can read the name
 * or no process can receive the value, which would fail every later step.
 */
export function variableOf(line: string): [name: string, value: string] | undefined {
  const at = line.indexOf('=');
  const name = line.slice(0, Math.max(at, 0)).trim();
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || line.includes('\0')) return undefined;
  return [name, line.slice(at + 1)];
}
