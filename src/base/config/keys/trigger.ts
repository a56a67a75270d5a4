import { type Document, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { about, type KeyTable, kind, type Mapping, parsed } from '../key-definition.ts';
import { duration, durationOrZero, off, oneOf, secret, wholeNumber } from '../kinds.ts';
import { OPERATIONS, stacks } from './run.ts';

/**
 * Settings of a deployment as Pulumi's REST API has them (`DeploymentSettingsRequest` of its OpenAPI
 * document), in plain JSON. They can hold secrets: show no value.
 */
type DeploymentSettings = Readonly<Record<string, unknown>>;

// prettyErrors would quote the line, which can hold a secret; logLevel keeps the parser from
// writing to stderr.
const OPTIONS = { prettyErrors: false, logLevel: 'error', merge: true } as const;

const REMEDY = 'correct its YAML or JSON';

/**
 * Reads the settings of deployments from JSON or YAML. The message of its error is a clause after
 * the setting's name, which names the place and never a value.
 */
function readDeploymentSettings(text: string): DeploymentSettings {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { ...OPTIONS, lineCounter });

  // A warning is about a tag that the parser ignores, and the API would get another value.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    const fault = problem.code === 'DUPLICATE_KEY' ? 'has a key twice' : 'is not valid';
    throw new Error(`${fault} at line ${line}, column ${col}; ${REMEDY}`);
  }

  const settings = jsonOf(document);
  if (!isMapping(settings)) throw new Error("must be a mapping in the shape of Pulumi's REST API");

  checkReserved(settings);
  return settings;
}

/** The document's value as JSON has it, without aliases. */
function jsonOf(document: Document): unknown {
  try {
    return JSON.parse(JSON.stringify(document.toJS()));
  } catch {
    throw new Error(`has an alias that has no end or no anchor; ${REMEDY}`);
  }
}

/** Refuses values that the agent sends itself; a Go service ignores the case of names. */
function checkReserved(settings: DeploymentSettings): void {
  for (const [name, value] of Object.entries(settings)) {
    const lowerName = name.toLowerCase();
    if (lowerName === 'operation') throw new Error(`sets ${name}; set the key operation instead`);
    if (lowerName === 'inheritsettings') throw new Error(`sets ${name}, which is always true; remove it`);

    if (lowerName !== 'operationcontext' || !isMapping(value)) continue;
    const nested = Object.keys(value).find((each) => each.toLowerCase() === 'operation');
    if (nested !== undefined) throw new Error(`sets ${name}.${nested}; set the key operation instead`);
  }
}

function isMapping(value: unknown): value is DeploymentSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The settings of deployments, written as JSON or YAML, or as a mapping in a file. */
const deploymentSettings = kind(
  'JSON or YAML',
  z
    .custom<string | Mapping>()
    .transform((written) => (typeof written === 'string' ? written : written.text))
    .pipe(parsed(readDeploymentSettings))
    .meta({ type: ['string', 'object', 'null'] }),
  { mapping: true },
);

const accessScope = kind(
  'text',
  z.string().regex(/^(admin|(team|user):\P{Cc}+)$/u, about('is none of admin, team:<name> and user:<login>')),
);

/**
 * Our keys for the deployments to start before waiting for work, and for the number of jobs to
 * plan.
 */
export const TRIGGER_KEYS = {
  trigger: {
    key: 'trigger',
    kind: stacks,
    default: '',
    help: 'Stacks of which to start one deployment each before waiting: org/project/stack; * is any name.',
  },
  operation: {
    key: 'operation',
    kind: oneOf(...OPERATIONS),
    unsetMeans: 'none: trigger needs one',
    help: 'Operation of the started deployments; destroy requires stacks that are named in full.',
  },
  triggerSettings: {
    key: 'trigger_settings',
    kind: deploymentSettings,
    unsetMeans: "the stacks' own",
    noFlag: true,
    help: "Settings of the started deployments as Pulumi's REST API has them, over their stacks'; not a flag.",
  },
  expectedVersion: {
    key: 'expected_version',
    kind: wholeNumber(0, 999_999_999),
    unsetMeans: 'any version',
    help: "Version that the one stack of trigger must still have, or nothing is started; a preview's output.",
  },
  triggerJitterMs: {
    key: 'trigger_jitter',
    kind: durationOrZero,
    default: '0s',
    help: 'Start each deployment at a random time within this window.',
  },
  triggerTimeoutMs: {
    key: 'trigger_timeout',
    kind: duration,
    default: '6h',
    help: 'Longest wait of a single run for the deployments it started, wherever they run.',
  },
  triggerCancel: {
    key: 'trigger_cancel',
    ...off,
    help: 'Cancelling the CI job also cancels started deployments that run elsewhere; can damage their stacks.',
  },
  accessToken: {
    key: 'access_token',
    kind: secret,
    unsetMeans: 'obtained in exchange for the OIDC token',
    help: "Access token that starts deployments and reads the queue; a pool's token can do neither.",
  },
  accessTokenScope: {
    key: 'access_token_scope',
    kind: accessScope,
    unsetMeans: "the organization's, without admin rights",
    help: 'Scope of the access token from the OIDC exchange: admin, team:<name> or user:<login>.',
  },
  planMax: {
    key: 'plan_max',
    kind: wholeNumber(1),
    default: '256',
    help: 'Largest number of jobs that the command plan asks for; GitHub allows 256 in a matrix.',
  },
} as const satisfies KeyTable;
