import { looksLikeCredential } from './credential-shape.ts';
import { SHORTEST_SECRET } from './secret-forms.ts';

/** Variables with plain values. Deliberately few: no account or client IDs, and KUBECONFIG may contain a whole file. */
const PLAIN_NAMES: ReadonlySet<string> = names(`
  CI COLUMNS DEBIAN_FRONTEND EDITOR FORCE_COLOR HOME HOSTNAME LANG LANGUAGE LINES LOGNAME NO_COLOR OLDPWD PAGER PATH PWD
  SHELL SHLVL TEMP TERM TMP TMPDIR TZ USER XDG_CACHE_HOME XDG_CONFIG_HOME NO_PROXY no_proxy SSL_CERT_DIR SSL_CERT_FILE
  NODE_ENV NODE_EXTRA_CA_CERTS DOTNET_ROOT GOARCH GOCACHE GOMODCACHE GOOS GOPATH GOROOT JAVA_HOME VIRTUAL_ENV

  AWS_DEFAULT_OUTPUT AWS_DEFAULT_REGION AWS_PARTITION AWS_PROFILE AWS_REGION AWS_SDK_LOAD_CONFIG
  ARM_ENVIRONMENT ARM_LOCATION AZURE_ENVIRONMENT AZURE_LOCATION
  CLOUDSDK_COMPUTE_REGION CLOUDSDK_COMPUTE_ZONE GOOGLE_REGION GOOGLE_ZONE

  PULUMI_AUTOMATION_API PULUMI_CI_SYSTEM PULUMI_DEBUG_COMMANDS PULUMI_ENV_FILE PULUMI_EXPERIMENTAL PULUMI_HOME PULUMI_ORG
  PULUMI_ORGANIZATION PULUMI_PARALLEL PULUMI_PROJECT PULUMI_SKIP_CONFIRMATIONS PULUMI_SKIP_UPDATE_CHECK PULUMI_STACK

  GITHUB_ACTIONS GITHUB_ACTOR GITHUB_BASE_REF GITHUB_EVENT_NAME GITHUB_HEAD_REF GITHUB_JOB GITHUB_REF GITHUB_REF_NAME
  GITHUB_REF_TYPE GITHUB_REPOSITORY GITHUB_REPOSITORY_OWNER GITHUB_RUN_ATTEMPT GITHUB_RUN_ID GITHUB_RUN_NUMBER
  GITHUB_SERVER_URL GITHUB_SHA GITHUB_WORKFLOW GITHUB_WORKSPACE RUNNER_ARCH RUNNER_NAME RUNNER_OS RUNNER_TEMP
`);

/** Variables with a URL, plain unless it has credentials: `PULUMI_BACKEND_URL` may be `postgres://user:password@…`. */
const URL_NAMES: ReadonlySet<string> = names(`
  PULUMI_API PULUMI_BACKEND_URL PULUMI_CI_BUILD_URL PULUMI_SERVICE_URL DOCKER_HOST
  ALL_PROXY HTTPS_PROXY HTTP_PROXY all_proxy https_proxy http_proxy
`);

/** Variables that name a deployment (protocol section 4), plain where they hold such a name, a number or an ID. */
const NAMING = /^PULUMI_CI_(?:ORGANIZATION|PROJECT|STACK|OPERATION|BUILD_ID|BUILD_NUMBER)$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** Names whose values are always secret. */
const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE|(?:^|_)(?:PG)?PASS(?:_|$)|_PWD$/i;
/** Further names that say credential, where a definition marks what is secret: `_KEY`, but not `KEYBOARD`. */
const CREDENTIAL_NAME =
  /_KEY(?:S|_|$)|(?:^|_)(?:AUTH|DSN|CONN|CONNECTION_?STRING|WEBHOOK|SAS|COOKIE)(?:S|_|$)|WEBHOOK|COOKIE|AUTHORIZATION|CONN_?STR/i;
/** Switches, small numbers and plain words: hiding `production` or `true` everywhere would make logs unreadable. */
const PLAIN_VALUE = /^(?:\d{1,6}|[A-Za-z]{1,20}(?:[-_/][A-Za-z]{1,20}){0,3})$/;

/** True if the value may stay readable: by its name, or as a URL without user, password and query. */
export function isPlainVariable(name: string, value: string): boolean {
  if (PLAIN_NAMES.has(name) || /^LC_[A-Z]+$/.test(name)) return true;
  return (
    (NAMING.test(name) && NAME.test(value) && !looksLikeCredential(value)) || (URL_NAMES.has(name) && isBareUrl(value))
  );
}

/** The values to redact: those not plain, at least 4 characters, and passwords in URLs, raw and decoded. May repeat. */
export function secretValues(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment)
    .filter(([name, value]) => !isPlainVariable(name, value) && !/^(?:true|false)$/i.test(value))
    .flatMap(([, value]) => [value, ...urlPasswords(value)])
    .filter((value) => value.trim().length >= SHORTEST_SECRET);
}

/** Unmarked values that may be secret (protocol section 3): all but plain variables, words, switches, small numbers. */
export function suspectedSecrets(variables: Readonly<Record<string, string>>): string[] {
  const suspect = Object.entries(variables).filter(
    ([name, value]) => SECRET_NAME.test(name) || !(isPlainVariable(name, value) || PLAIN_VALUE.test(value)),
  );
  return secretValues(Object.fromEntries(suspect));
}

/** What users say of variables by name. */
export interface NamedVariables {
  readonly plainVariables: readonly string[];
  readonly secretVariables: readonly string[];
}

/**
 * What no log may show of a job's own variables: marked values with the passwords in their URLs, and of the others what
 * may be secret. Where no value is marked, that is each suspected one; where one is, the definition's author marks, and
 * an unmarked value is plain unless its name or its shape says credential. Names that users give come before both.
 */
export function variableSecrets(
  variables: Readonly<Record<string, { readonly value: string; readonly secret: boolean }>>,
  { plainVariables, secretVariables }: NamedVariables,
): string[] {
  // A blank value marks nothing.
  const areMarked = Object.values(variables).some(({ value, secret }) => secret && value.trim() !== '');
  return Object.entries(variables).flatMap(([name, { value, secret }]) => {
    if (secret || secretVariables.includes(name)) return [value, ...urlPasswords(value)];
    if (plainVariables.includes(name)) return [];
    if (!areMarked) return suspectedSecrets({ [name]: value });
    return saysCredential(name, value) ? secretValues({ [name]: value }) : [];
  });
}

function saysCredential(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || CREDENTIAL_NAME.test(name) || looksLikeCredential(value);
}

function isBareUrl(value: string): boolean {
  // Without `//` the parser takes the user in `user:password@host` for a scheme.
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? URL.parse(value) : null;
  return url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

function urlPasswords(value: string): string[] {
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
