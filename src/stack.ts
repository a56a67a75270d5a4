/** One stack by its three names. */
export interface StackName {
  readonly organization: string;
  readonly project: string;
  readonly stack: string;
}

/** `org/project/stack`. */
export function stackText({ organization, project, stack }: StackName): string {
  return `${organization}/${project}/${stack}`;
}
