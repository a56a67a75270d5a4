import { matchesName } from '../name-pattern.ts';
import { hasCredentialShape } from './credential-shape.ts';
import { SHORTEST_SECRET } from './secret-forms.ts';

/**
 * Variables with plain values. Deliberately few: no account or client IDs, and KUBECONFIG may
 * contain a whole file.
 */
const PLAIN_NAMES: ReadonlySet<string> = names(`
  CI COLUMNS DEBIAN_FRONTEND EDITOR FORCE_COLOR HOME HOSTNAME LANG LANGUAGE LINES LOGNAME NO_COLOR OLDPWD PAGER PATH PWD
  SHELL SHLVL TEMP TERM TMP TMPDIR TZ USER XDG_CACHE_HOME XDG_CONFIG_HOME NO_PROXY no_proxy SSL_CERT_DIR SSL_CERT_FILE
  OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_PROTOCOL OTEL_SERVICE_NAME OTEL_TRACES_EXPORTER
  NODE_ENV NODE_EXTRA_CA_CERTS DOTNET_ROOT GOARCH GOCACHE GOMODCACHE GOOS GOPATH GOROOT JAVA_HOME VIRTUAL_ENV

  AWS_DEFAULT_OUTPUT AWS_DEFAULT_REGION AWS_PARTITION AWS_PROFILE AWS_REGION AWS_SDK_LOAD_CONFIG
  ARM_ENVIRONMENT ARM_LOCATION AZURE_ENVIRONMENT AZURE_LOCATION
  CLOUDSDK_COMPUTE_REGION CLOUDSDK_COMPUTE_ZONE GOOGLE_REGION GOOGLE_ZONE

  PULUMI_AUTOMATION_API PULUMI_CI_SYSTEM PULUMI_DEBUG_COMMANDS PULUMI_ENV_FILE PULUMI_EXPERIMENTAL PULUMI_HOME PULUMI_ORG
  PULUMI_ORGANIZATION PULUMI_PARALLEL PULUMI_PROJECT PULUMI_SKIP_CONFIRMATIONS PULUMI_SKIP_UPDATE_CHECK PULUMI_STACK

  GITHUB_ACTIONS GITHUB_ACTOR GITHUB_BASE_REF GITHUB_EVENT_NAME GITHUB_HEAD_REF GITHUB_JOB GITHUB_REF GITHUB_REF_NAME
  GITHUB_REF_TYPE GITHUB_REPOSITORY GITHUB_REPOSITORY_OWNER GITHUB_RUN_ATTEMPT GITHUB_RUN_ID GITHUB_RUN_NUMBER
  GITHUB_SERVER_URL GITHUB_SHA GITHUB_WORKFLOW GITHUB_WORKSPACE RUNNER_ARCH RUNNER_NAME RUNNER_OS RUNNER_TEMP

  GITLAB_CI CI_COMMIT_BRANCH CI_COMMIT_REF_NAME CI_COMMIT_SHA CI_COMMIT_SHORT_SHA CI_COMMIT_TAG CI_DEFAULT_BRANCH
  CI_ENVIRONMENT_NAME CI_JOB_ID CI_JOB_NAME CI_JOB_STAGE CI_PIPELINE_ID CI_PIPELINE_IID CI_PIPELINE_SOURCE CI_PROJECT_ID
  CI_PROJECT_NAME CI_PROJECT_NAMESPACE CI_PROJECT_PATH CI_SERVER_HOST

  BUILDKITE BUILDKITE_BRANCH BUILDKITE_BUILD_ID BUILDKITE_BUILD_NUMBER BUILDKITE_COMMIT BUILDKITE_JOB_ID
  BUILDKITE_ORGANIZATION_SLUG BUILDKITE_PIPELINE_SLUG BUILDKITE_STEP_KEY BUILDKITE_TAG

  TF_BUILD BUILD_BUILDID BUILD_BUILDNUMBER BUILD_REPOSITORY_NAME BUILD_SOURCEBRANCH BUILD_SOURCEBRANCHNAME
  BUILD_SOURCEVERSION SYSTEM_JOBID SYSTEM_TEAMPROJECT

  BRANCH_NAME BUILD_ID BUILD_NUMBER BUILD_TAG GIT_BRANCH GIT_COMMIT JOB_BASE_NAME JOB_NAME STAGE_NAME

  CIRCLECI CIRCLE_BRANCH CIRCLE_BUILD_NUM CIRCLE_JOB CIRCLE_PROJECT_REPONAME CIRCLE_SHA1 CIRCLE_TAG
  BITBUCKET_BRANCH BITBUCKET_BUILD_NUMBER BITBUCKET_COMMIT BITBUCKET_REPO_SLUG BITBUCKET_TAG BITBUCKET_WORKSPACE
`);

/**
 * Variables with a URL, plain unless it has credentials: `PULUMI_BACKEND_URL` may be
 * `postgres://user:password@…`.
 */
const URL_NAMES: ReadonlySet<string> = names(`
  PULUMI_API PULUMI_BACKEND_URL PULUMI_CI_BUILD_URL PULUMI_SERVICE_URL DOCKER_HOST
  ALL_PROXY HTTPS_PROXY HTTP_PROXY all_proxy https_proxy http_proxy
  OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
`);

/**
 * Variables that name a deployment (protocol section 4), plain where they hold such a name, a
 * number or an ID.
 */
const NAMING = /^PULUMI_CI_(?:ORGANIZATION|PROJECT|STACK|OPERATION|BUILD_ID|BUILD_NUMBER)$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** The place in a trace, which logs may show. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Names whose values are always secret. */
const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE|(?:^|_)(?:PG)?PASS(?:_|$)|_PWD$/i;

/**
 * Words of names that say credential too, in capitals and with `_` between words. Not AUTHOR,
 * CONNECT, KEYBOARD, SASS.
 */
const CREDENTIAL_WORD = new RegExp(
  [
    'AUTH(?!OR(?!I[SZ]))',
    'CONN(?!ECT)|CONNECTION(?!S$)|CONNECT_?(?:STR|UR[IL])',
    String.raw`KEYS?\d*(?:_(?!VAULT|RING)|$)`,
    'WEBHOOK|COOKIE(?!_?CUTTER)',
    String.raw`(?:^|_)DSN|DSN\d*(?:_|$)`,
    String.raw`(?:^|_)(?:SAS|PAT|PW|PWD)\d*(?:_|$)|SAS_?UR[IL]`,
  ].join('|'),
);

/** The end of a name about a credential that isn't one: `AUTH_METHOD`, `CONNECTION_TIMEOUT`. */
const ABOUT_CREDENTIAL =
  /_(?:ALGORITHM|COUNT|DISABLED|DOMAIN|ENABLED|FILE|HOST|LIMIT|METHODS?|MODE|NAME|PATH|PORT|PROVIDER|SIZE|TIMEOUT|TTL|TYPE|VERSION)(?:_(?:MS|SEC|SECONDS))?$/;

/**
 * Switches, small numbers and plain words: hiding `production` or `true` everywhere would make logs
 * unreadable.
 */
const PLAIN_VALUE = /^(?:\d{1,6}|[A-Za-z]{1,20}(?:[-_/][A-Za-z]{1,20}){0,3})$/;

/**
 * True if the value may stay readable: by its name, or as a URL without user, password and query.
 */
export function isPlainVariable(name: string, value: string): boolean {
  if (PLAIN_NAMES.has(name) || /^LC_[A-Z]+$/.test(name)) return true;
  if (name === 'TRACEPARENT' && TRACEPARENT.test(value)) return true;
  const isValid = (NAMING.test(name) && NAME.test(value)) || (URL_NAMES.has(name) && isBareUrl(value));
  // Any writer of the stack can put a token into a variable that names the deployment.
  return isValid && !hasCredentialShape(value);
}

/**
 * The values to redact: those not plain or matched by `secretNames`, at least 4 characters, and
 * passwords in URLs, raw and decoded. May repeat.
 */
export function secretValues(
  environment: Readonly<Record<string, string>>,
  secretNames: readonly string[] = [],
): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    isPlainVariable(name, value) && !isAmong(name, secretNames) ? [] : secretParts(value),
  );
}

/** Variables that the settings name, with `*` for any text. */
export interface NamedVariables {
  readonly plainVariables: readonly string[];
  readonly secretVariables: readonly string[];
}

/**
 * Unmarked values that may be secret (protocol section 3): all but plain variables, words,
 * switches, small numbers.
 */
export function suspectedSecrets(
  variables: Readonly<Record<string, string>>,
  settings: NamedVariables,
): string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    isSuspect(name, value, settings) ? secretParts(value) : [],
  );
}

/**
 * The values of a job's own variables to hide in logs: marked ones with passwords in their URLs,
 * and suspected ones. A definition that marks a value worth hiding can mark them all: its others
 * are secret only by their name or shape.
 */
export function variableSecrets(
  variables: Readonly<Record<string, { readonly value: string; readonly secret: boolean }>>,
  settings: NamedVariables,
): string[] {
  const marks = Object.values(variables).some(({ value, secret }) => secret && secretParts(value).length > 0);
  return Object.entries(variables).flatMap(([name, { value, secret }]) => {
    if (secret) return [value, ...urlPasswords(value)];
    return isSuspect(name, value, settings, marks) ? secretParts(value) : [];
  });
}

/**
 * True if an unmarked value may be secret: by the settings, by its name, by its shape, or unless
 * `marks` by caution.
 */
function isSuspect(name: string, value: string, settings: NamedVariables, marks = false): boolean {
  const { plainVariables, secretVariables } = settings;
  if (isAmong(name, secretVariables)) return true;

  // A name in full shows any value, a pattern no credential.
  if (plainVariables.includes(name)) return false;
  if (SECRET_NAME.test(name)) return true;
  if (isPlainVariable(name, value)) return false;
  if (marks || isAmong(name, plainVariables)) return saysCredential(name) || hasCredentialShape(value);

  return !PLAIN_VALUE.test(value);
}

function isAmong(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesName(pattern, name));
}

/** True if a name says that its value is a credential. */
export function saysCredential(name: string): boolean {
  if (SECRET_NAME.test(name)) return true;
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])|[^A-Za-z\d]+/g, '_').toUpperCase();
  return CREDENTIAL_WORD.test(words) && !ABOUT_CREDENTIAL.test(words);
}

/** The parts of a secret value to hide: none of switches and of values under 4 characters. */
function secretParts(value: string): string[] {
  if (/^(?:true|false)$/i.test(value)) return [];
  return [value, ...urlPasswords(value)].filter((text) => text.trim().length >= SHORTEST_SECRET);
}

function isBareUrl(value: string): boolean {
  // Without `//` the parser takes the user in `user:password@host` for a scheme.
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? URL.parse(value) : null;
  return url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

/** The password in a URL, as written and decoded; none in any other text. */
export function urlPasswords(value: string): string[] {
  const password = URL.parse(value)?.password ?? '';
  if (password === '') return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
