import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { kind, type Mapping, parsed } from './kind.ts';

/**
 * Settings of a deployment as Pulumi's REST API has them (`DeploymentSettingsRequest` of its OpenAPI
 * document), in plain JSON. They can hold secrets: show no value.
 */
export type DeploymentSettings = Readonly<Record<string, unknown>>;

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
    const what = problem.code === 'DUPLICATE_KEY' ? 'has a key twice' : 'is not valid';
    throw new Error(`${what} at line ${line}, column ${col}; ${REMEDY}`);
  }

  const settings = plain(() => document.toJS());
  if (!isMapping(settings)) throw new Error("must be a mapping in the shape of Pulumi's REST API");

  checkOurs(settings);
  return settings;
}

/** The value as JSON has it, without aliases. */
function plain(value: () => unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value()));
  } catch {
    throw new Error(`has an alias that has no end or no anchor; ${REMEDY}`);
  }
}

/** Refuses values that the agent sends itself; a Go service ignores the case of names. */
function checkOurs(settings: DeploymentSettings): void {
  for (const [name, value] of Object.entries(settings)) {
    const known = name.toLowerCase();
    if (known === 'operation') throw new Error(`sets ${name}; set the key operation instead`);
    if (known === 'inheritsettings') throw new Error(`sets ${name}, which is always true; remove it`);

    if (known !== 'operationcontext' || !isMapping(value)) continue;
    const nested = Object.keys(value).find((each) => each.toLowerCase() === 'operation');
    if (nested !== undefined) throw new Error(`sets ${name}.${nested}; set the key operation instead`);
  }
}

function isMapping(value: unknown): value is DeploymentSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The settings of deployments, written as JSON or YAML, or as a mapping in a file. */
export const deploymentSettings = kind(
  'JSON or YAML',
  z
    .custom<string | Mapping>()
    .transform((written) => (typeof written === 'string' ? written : written.text))
    .pipe(parsed(readDeploymentSettings))
    .meta({ type: ['string', 'object', 'null'] }),
  { mapping: true },
);
