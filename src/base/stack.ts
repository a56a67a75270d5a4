/** One stack by its three names. */
export interface StackName {
  readonly organization: string;
  readonly project: string;
  readonly stack: string;
}

/** The name of a deployment: its stack and, if known, its operation and its number in the stack. */
export interface Identity extends StackName {
  readonly operation?: string | undefined;
  readonly version?: number | undefined;
  /** Pulumi Cloud itself named it. A stack's own variables prove nothing. */
  readonly proven: boolean;
}

/** `org/project/stack`. */
export function stackText({ organization, project, stack }: StackName): string {
  return `${organization}/${project}/${stack}`;
}

/** `acme/network/prod · update · #1042`, without the parts that are unknown. */
export function identityText({ operation, version, ...name }: Identity): string {
  return [stackText(name), operation, version === undefined ? undefined : `#${version}`]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** `acme/network/prod · update #1042`, without the parts that are unknown: a deployment in the console of a CI job. */
export function deploymentName({
  stack,
  operation,
  version,
}: {
  readonly stack: string;
  readonly operation?: string | undefined;
  readonly version?: number | undefined;
}): string {
  const number = version === undefined ? undefined : `#${version}`;
  const rest = [operation, number].filter((part) => part !== undefined).join(' ');
  return rest === '' ? stack : `${stack} · ${rest}`;
}

/** `deployment d-1`; work of another kind, which may be of no stack at all, as `work d-1 of the kind "delivery"`. */
export function workText(id: string, kind: string | undefined): string {
  return kind === undefined ? `deployment ${id}` : `work ${id} ${kindText(kind)}`;
}

/** `of the kind "delivery"`. */
export function kindText(kind: string): string {
  return `of the kind "${kind}"`;
}
